//! Fills the slots of a subject: dates, amounts, bodies, places, people and projects, all made up.

use std::fmt::Write;

use lastro_model::Day;

use super::calendar::end_of_last_period;
use super::coined::push_word;
use super::dice::Dice;
use super::words::{
    AREAS, ASSETS, BODIES, FAMILY_NAMES, FIRST_NAMES, GRADES, MONTHS, ORDINALS, OUTLOOKS, PLACES_AFTER,
    PLACES_BEFORE, STATES, TOPICS, TRADES, TRANCHES, WHOLE_ISSUES,
};

/// What a subject is written about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene {
    pub(super) delivered_on: Day,
    pub(super) reference_day: Day,
    pub(super) paper: &'static str,
}

/// The subject with every slot filled.
pub(super) fn compose(subject: &str, scene: Scene, dice: &mut Dice) -> String {
    let mut text = String::with_capacity(96);
    let mut rest = subject;
    while let Some((before, slot, after)) = next_slot(rest) {
        text.push_str(before);
        fill(&mut text, slot, scene, dice);
        rest = after;
    }
    text.push_str(rest);
    text
}

fn next_slot(text: &str) -> Option<(&str, &str, &str)> {
    let (before, from_slot) = text.split_once('{')?;
    let (slot, after) = from_slot.split_once('}')?;
    Some((before, slot, after))
}

/// Writing to a `String` cannot fail, hence the results let go.
fn fill(text: &mut String, slot: &str, scene: Scene, dice: &mut Dice) {
    match slot {
        "papel" => text.push_str(scene.paper),
        "orgao" => text.push_str(dice.pick(&BODIES)),
        "area" => text.push_str(dice.pick(&AREAS)),
        "tema" => text.push_str(dice.pick(&TOPICS)),
        "ativo" => text.push_str(dice.pick(&ASSETS)),
        "ramo" => text.push_str(dice.pick(&TRADES)),
        "nota" => text.push_str(dice.pick(&GRADES)),
        "perspectiva" => text.push_str(dice.pick(&OUTLOOKS)),
        "series" => text.push_str(dice.pick(&WHOLE_ISSUES)),
        "serie" => text.push_str(dice.pick(&TRANCHES)),
        "ordem" => text.push_str(dice.pick(&ORDINALS)),
        "palavra" => push_word(text, dice),
        "lugar" => push_place(text, dice),
        "pessoa" => push_person(text, dice),
        "fundo" => push_around_word(text, "Fundo ", " de Investimento em Participações", dice),
        "agente" => push_around_word(text, "", " Distribuidora de Títulos e Valores Mobiliários", dice),
        _ => fill_figure(text, slot, scene, dice),
    }
}

fn fill_figure(text: &mut String, slot: &str, scene: Scene, dice: &mut Dice) {
    let delivered = scene.delivered_on;
    let _ = match slot {
        "ano" => write!(text, "{}", delivered.year()),
        "exercicio" => write!(text, "{}", delivered.year() - 1),
        "trimestre" => write_quarter(text, end_of_last_period(delivered, 3)),
        "mes" => write_month(text, end_of_last_period(delivered, 1)),
        "data" => write_day(text, scene.reference_day),
        "prazo" => write_day(text, delivered.plus_days(dice.between(5..=75))),
        "emissao" => write!(text, "{}ª", dice.between(1..=24)),
        "numero" => write!(text, "{}", dice.between(3..=480)),
        "lote" => write!(text, "{}", dice.pick(&[2, 3, 4, 5, 10, 20, 100])),
        "percentual" => write!(text, "{},{:02}%", dice.between(1..=49), dice.between(0..=99)),
        "por_acao" => write!(text, "R$ {},{:04} por ação", dice.between(0..=2), dice.between(100..=9_999)),
        "valor" => write_amount(text, dice),
        "processo" => write_lawsuit(text, delivered, dice),
        _ => Ok(()),
    };
}

fn push_around_word(text: &mut String, before: &str, after: &str, dice: &mut Dice) {
    text.push_str(before);
    push_word(text, dice);
    text.push_str(after);
}

fn push_place(text: &mut String, dice: &mut Dice) {
    let (before, after) = (dice.pick(&PLACES_BEFORE), dice.pick(&PLACES_AFTER));
    push_around_word(text, before, after, dice);
    text.push('/');
    text.push_str(dice.pick(&STATES));
}

/// The last name is coined: a first and a family name alone would be somebody's.
fn push_person(text: &mut String, dice: &mut Dice) {
    for name in [dice.pick(&FIRST_NAMES), dice.pick(&FAMILY_NAMES)] {
        text.push_str(name);
        text.push(' ');
    }
    push_word(text, dice);
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

/// Round, as such amounts are.
fn write_amount(text: &mut String, dice: &mut Dice) -> std::fmt::Result {
    match dice.between(0..=9) {
        0..=5 => write!(text, "R$ {} milhões", dice.between(2..=95) * 10),
        6 | 7 => write!(text, "R$ {}.{:03}.000,00", dice.between(1..=900), dice.between(0..=39) * 25),
        8 => write!(text, "R$ 1,{} bilhão", dice.between(1..=9)),
        _ => write!(text, "R$ {},{} bilhões", dice.between(2..=9), dice.between(1..=9)),
    }
}

/// In the courts' form, at a court that does not exist (99).
fn write_lawsuit(text: &mut String, delivered: Day, dice: &mut Dice) -> std::fmt::Result {
    let (number, check) = (dice.between(1_000..=99_999), dice.between(10..=97));
    let year = delivered.year() - dice.pick(&[1, 2, 3, 5]);
    write!(text, "{number:07}-{check}.{year}.8.99.{:04}", dice.between(1..=60))
}
