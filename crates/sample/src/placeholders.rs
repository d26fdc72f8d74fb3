//! Placeholders of a subject, filled with made-up dates, amounts, bodies, places, people and projects.

use std::fmt::Write;

use lastro_model::Day;

use super::calendar::end_of_last_period;
use super::coined_words::push_word;
use super::random::Random;
use super::vocabulary::{
    AREAS, ASSETS, BODIES, FAMILY_NAMES, FIRST_NAMES, GRADES, MONTHS, ORDINALS, OUTLOOKS, PLACES_AFTER,
    PLACES_BEFORE, STATES, TOPICS, TRADES, TRANCHES, WHOLE_ISSUES,
};

/// The context of a subject.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    pub(super) delivered_on: Day,
    pub(super) reference_day: Day,
    pub(super) paper: &'static str,
}

/// The subject with every placeholder filled.
pub(super) fn compose(subject: &str, scene: Scene, random: &mut Random) -> String {
    let mut text = String::with_capacity(96);
    let mut rest = subject;
    while let Some((before, placeholder, after)) = next_placeholder(rest) {
        text.push_str(before);
        fill(&mut text, placeholder, scene, random);
        rest = after;
    }
    text.push_str(rest);
    text
}

fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, from_placeholder) = text.split_once('{')?;
    let (placeholder, after) = from_placeholder.split_once('}')?;
    Some((before, placeholder, after))
}

/// Ignores results, because writing to a `String` cannot fail.
fn fill(text: &mut String, placeholder: &str, scene: Scene, random: &mut Random) {
    match placeholder {
        "papel" => text.push_str(scene.paper),
        "orgao" => text.push_str(random.pick(&BODIES)),
        "area" => text.push_str(random.pick(&AREAS)),
        "tema" => text.push_str(random.pick(&TOPICS)),
        "ativo" => text.push_str(random.pick(&ASSETS)),
        "ramo" => text.push_str(random.pick(&TRADES)),
        "nota" => text.push_str(random.pick(&GRADES)),
        "perspectiva" => text.push_str(random.pick(&OUTLOOKS)),
        "series" => text.push_str(random.pick(&WHOLE_ISSUES)),
        "serie" => text.push_str(random.pick(&TRANCHES)),
        "ordem" => text.push_str(random.pick(&ORDINALS)),
        "palavra" => push_word(text, random),
        "lugar" => push_place(text, random),
        "pessoa" => push_person(text, random),
        "fundo" => push_around_word(text, "Fundo ", " de Investimento em Participações", random),
        "agente" => push_around_word(text, "", " Distribuidora de Títulos e Valores Mobiliários", random),
        _ => fill_figure(text, placeholder, scene, random),
    }
}

fn fill_figure(text: &mut String, placeholder: &str, scene: Scene, random: &mut Random) {
    let delivered = scene.delivered_on;
    let _ = match placeholder {
        "ano" => write!(text, "{}", delivered.year()),
        "exercicio" => write!(text, "{}", delivered.year() - 1),
        "trimestre" => write_quarter(text, end_of_last_period(delivered, 3)),
        "mes" => write_month(text, end_of_last_period(delivered, 1)),
        "data" => write_day(text, scene.reference_day),
        "prazo" => write_day(text, delivered.plus_days(random.between(5..=75))),
        "emissao" => write!(text, "{}ª", random.between(1..=24)),
        "numero" => write!(text, "{}", random.between(3..=480)),
        "lote" => write!(text, "{}", random.pick(&[2, 3, 4, 5, 10, 20, 100])),
        "percentual" => write!(text, "{},{:02}%", random.between(1..=49), random.between(0..=99)),
        "por_acao" => {
            write!(text, "R$ {},{:04} por ação", random.between(0..=2), random.between(100..=9_999))
        }
        "valor" => write_amount(text, random),
        "processo" => write_lawsuit(text, delivered, random),
        _ => Ok(()),
    };
}

fn push_around_word(text: &mut String, before: &str, after: &str, random: &mut Random) {
    text.push_str(before);
    push_word(text, random);
    text.push_str(after);
}

fn push_place(text: &mut String, random: &mut Random) {
    let (before, after) = (random.pick(&PLACES_BEFORE), random.pick(&PLACES_AFTER));
    push_around_word(text, before, after, random);
    text.push('/');
    text.push_str(random.pick(&STATES));
}

/// Appends a person. The last name is coined, because a first and a family name alone would be a real person's.
fn push_person(text: &mut String, random: &mut Random) {
    for name in [random.pick(&FIRST_NAMES), random.pick(&FAMILY_NAMES)] {
        text.push_str(name);
        text.push(' ');
    }
    push_word(text, random);
}

fn write_quarter(text: &mut String, quarter_end: Day) -> std::fmt::Result {
    write!(text, "{}T{:02}", quarter_end.month() / 3, quarter_end.year() % 100)
}

fn write_month(text: &mut String, month_end: Day) -> std::fmt::Result {
    let name = MONTHS.get(month_end.month() as usize - 1).copied().unwrap_or_default();
    write!(text, "{name} de {}", month_end.year())
}

fn write_day(text: &mut String, day: Day) -> std::fmt::Result {
    write!(text, "{:02}/{:02}/{}", day.day_of_month(), day.month(), day.year())
}

/// Writes a round amount, as usual in filings.
fn write_amount(text: &mut String, random: &mut Random) -> std::fmt::Result {
    match random.between(0..=9) {
        0..=5 => write!(text, "R$ {} milhões", random.between(2..=95) * 10),
        6 | 7 => write!(text, "R$ {}.{:03}.000,00", random.between(1..=900), random.between(0..=39) * 25),
        8 => write!(text, "R$ 1,{} bilhão", random.between(1..=9)),
        _ => write!(text, "R$ {},{} bilhões", random.between(2..=9), random.between(1..=9)),
    }
}

/// Writes a number in the courts' format, of a court that does not exist (99).
fn write_lawsuit(text: &mut String, delivered: Day, random: &mut Random) -> std::fmt::Result {
    let (number, check) = (random.between(1_000..=99_999), random.between(10..=97));
    let year = delivered.year() - random.pick(&[1, 2, 3, 5]);
    write!(text, "{number:07}-{check}.{year}.8.99.{:04}", random.between(1..=60))
}
