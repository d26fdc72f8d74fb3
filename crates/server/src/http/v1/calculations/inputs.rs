//! The parts common to all calculations: inputs, the series used, the answer, and its code.

use lastro_calc::{CalcError, Calculation, Month, Step, is_price_index};
use lastro_catalog::{Catalog, Object, Part, Timeline, name};
use lastro_model::{Day, Decimal, RatePoint, Series, Stamp};

use crate::error::ApiError;
use crate::http::request::query::{Query, bad};
use crate::http::site::Site;

/// The parameters of a kind of calculation.
pub(super) trait Inputs {
    /// The first letter of its codes.
    const LETTER: char;
    /// The last segment of its path.
    const KIND: &'static str;

    /// All inputs in one form, however they were written. Codes depend on it: a change makes all codes unknown.
    fn canonical(&self) -> String;

    fn calculate(&self, catalog: &Catalog) -> Result<Answer, ApiError>;
}

pub(super) trait FromQuery: Inputs + Sized {
    fn read(query: &Query<'_>) -> Result<Self, ApiError>;
}

/// A response that lacks only its code.
pub(super) struct Answer {
    pub(super) object: Object<Vec<u8>>,
    pub(super) result: Decimal,
    pub(super) stamps: Vec<Stamp>,
    origin: Origin,
}

impl Answer {
    pub(super) fn new(object: Object<Vec<u8>>, result: Decimal, used: &[&Used<'_>]) -> Self {
        let is_sample = used.iter().any(|used| used.part.sample);
        let origin = if is_sample { Origin::Sample } else { Origin::Published };
        Self { object, result, stamps: used.iter().map(|used| used.part.stamp).collect(), origin }
    }

    pub(super) fn into_body(self, inputs: &impl Inputs, site: &Site) -> Vec<u8> {
        let code = code(inputs, self.result, self.origin, site);
        self.object.text(name!("check"), &code).end()
    }
}

/// The origin of a calculation's values. Codes tell them apart: the sample is replaced one day, and what was made
/// from it must not pass for a calculation whose data were revised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Published,
    /// At least one series was the built-in sample.
    Sample,
}

/// The code of a calculation with this result.
pub(super) fn code<I: Inputs>(inputs: &I, result: Decimal, origin: Origin, site: &Site) -> String {
    let (inputs, result) = (inputs.canonical(), result.normalize());
    let mark = if origin == Origin::Sample { " sample" } else { "" };
    site.calculation_codes.code(I::LETTER, &format!("{inputs} result={result}{mark}"))
}

/// The series used in a calculation.
pub(super) struct Used<'a> {
    series: Series,
    pub(super) part: &'a Part<Timeline<RatePoint>>,
    /// Oldest first.
    pub(super) rows: Vec<RatePoint>,
}

impl<'a> Used<'a> {
    pub(super) fn of(catalog: &'a Catalog, series: Series) -> Self {
        let part = &*catalog.series[series];
        Self { series, part, rows: part.points().iter().rev().copied().collect() }
    }

    pub(super) fn id(&self) -> &'static str {
        self.series.about().id
    }

    /// The answer: the result, after the inputs.
    pub(super) fn answer(
        &self,
        inputs: Object<Vec<u8>>,
        convention: &str,
        calculated: &Calculation,
        when: impl for<'b> Fn(Object<&'b mut Vec<u8>>, &Step) -> Object<&'b mut Vec<u8>>,
    ) -> Answer {
        let object = inputs
            .number(name!("factor"), calculated.factor)
            .number(name!("percent"), calculated.percent)
            .number(name!("result"), calculated.result)
            .text(name!("currency_from"), calculated.currency_from)
            .text(name!("currency_to"), calculated.currency_to)
            .number(name!("divisor"), calculated.divisor)
            .text(name!("convention"), convention)
            .text(name!("series"), self.id())
            .written(name!("editions"), |out| write_editions(&[self], out));
        // All plans get the receipt, even of values they cannot list: a calculation over one month shows them anyway.
        let object = object.array(name!("receipt"), &calculated.receipt, |step, out| {
            when(Object::new(out), step)
                .number(name!("value"), step.value)
                .number(name!("factor"), step.factor)
                .end();
        });
        Answer::new(object, calculated.result, &[self])
    }
}

/// An object with the edition of each series.
pub(super) fn write_editions(used: &[&Used<'_>], out: &mut Vec<u8>) {
    let edition = |used: &&Used<'_>| format!("\"{}\":{}", used.id(), used.part.stamp.edition.0);
    let editions: Vec<String> = used.iter().map(edition).collect();
    out.extend_from_slice(format!("{{{}}}", editions.join(",")).as_bytes());
}

pub(super) fn by_month<'b>(object: Object<&'b mut Vec<u8>>, step: &Step) -> Object<&'b mut Vec<u8>> {
    object.text(name!("month"), &Month::of(step.day).to_string())
}

pub(super) fn by_day<'b>(object: Object<&'b mut Vec<u8>>, step: &Step) -> Object<&'b mut Vec<u8>> {
    object.token(name!("date"), step.day)
}

pub(super) fn refused(error: &impl ToString) -> ApiError {
    ApiError::BadRequest(error.to_string().into())
}

/// A new object with room for a receipt of so many lines.
pub(super) fn object(receipt: usize) -> Object<Vec<u8>> {
    Object::new(Vec::with_capacity(384 + receipt * 64))
}

pub(super) fn index(query: &Query<'_>) -> Result<Series, ApiError> {
    price_index("index", query.required("index", query.get("index")?)?)
}

/// Parses the id of a price index, given in this parameter.
pub(super) fn price_index(name: &str, text: &str) -> Result<Series, ApiError> {
    let series = Series::parse(text).filter(|series| is_price_index(series.about()));
    series.ok_or_else(|| {
        let known: Vec<&str> = Series::ALL
            .iter()
            .map(|series| series.about())
            .filter(|about| is_price_index(about))
            .map(|about| about.id)
            .collect();
        bad(name, &format!("must be one of {}", known.join(", ")))
    })
}

pub(super) fn month(query: &Query<'_>, name: &str) -> Result<Month, ApiError> {
    let text = query.required(name, query.get(name)?)?;
    Month::parse(text).map_err(|reason| ApiError::parameter(name, &reason))
}

pub(super) fn days(query: &Query<'_>) -> Result<(Day, Day), ApiError> {
    let (from, to) = query.days()?;
    Ok((query.required("from", from)?, query.required("to", to)?))
}

pub(super) fn amount(query: &Query<'_>) -> Result<Decimal, ApiError> {
    Ok(decimal(query, "amount", &CalcError::Amount)?.unwrap_or(Decimal::ONE))
}

/// Reads a number. Other text gets the same error as a value out of bounds.
pub(super) fn decimal(
    query: &Query<'_>,
    name: &str,
    bounds: &CalcError,
) -> Result<Option<Decimal>, ApiError> {
    let Some(text) = query.get(name)? else { return Ok(None) };
    plain_decimal(text).map(Some).ok_or_else(|| refused(bounds))
}

/// Decimals of an amount of money, which are kept as written.
const CENTS: usize = 2;

/// Parses digits with an optional fraction. Zeros after the cents say nothing, and are left out.
pub(super) fn plain_decimal(text: &str) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let needless = fraction.len() - fraction.trim_end_matches('0').len();
    let left_out = needless.min(fraction.len().saturating_sub(CENTS));
    Decimal::from_str_exact(&text[..text.len() - if text.contains('.') { left_out } else { 0 }]).ok()
}

/// Parses a number as JSON writes it: as [`plain_decimal`], or with an exponent if the value is exact.
pub fn json_decimal(text: &str) -> Option<Decimal> {
    let Some((digits, exponent)) = text.split_once(['e', 'E']) else { return plain_decimal(text) };
    let value = plain_decimal(digits)?.normalize();
    let exponent = exponent.parse::<i64>().ok().filter(|exponent| exponent.abs() < 100)?;
    let scale = i64::from(value.scale()) - exponent;
    let exact = match u32::try_from(scale) {
        _ if value.is_zero() => Some(value),
        Ok(scale) => Decimal::try_from_i128_with_scale(value.mantissa(), scale).ok(),
        Err(_) => {
            let power = 10i128.checked_pow(u32::try_from(-scale).ok()?)?;
            Decimal::try_from_i128_with_scale(value.mantissa().checked_mul(power)?, 0).ok()
        }
    };
    exact.map(|value| value.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json_are_exact_or_refused() {
        for (text, read) in [
            ("1e3", Some("1000")),
            ("1.5E+2", Some("150")),
            ("100e-2", Some("1")),
            ("12345e-3", Some("12.345")),
            ("1000.000", Some("1000.00")),
            ("2.00000", Some("2.00")),
            ("10.5", Some("10.5")),
            ("1.0000000000000000000000000000000000", Some("1.00")),
            ("0e99", Some("0")),
            ("1e99", None),
            ("1e-99", None),
            ("1e99999999999999999999", None),
            ("-1", None),
            ("1e", None),
            ("0.1000000000000000000000000000000001", None),
        ] {
            assert_eq!(json_decimal(text).map(|value| value.to_string()).as_deref(), read, "{text}");
        }
        assert_eq!(plain_decimal("1e3"), None);
    }
}
