//! Every text of the pages: a struct with a field for each, filled by one file per language. A missing translation
//! does not compile.
//!
//! Words of the series table are in [`crate::words`], sentences of the plan table in `lastro_access`.

pub(crate) mod en;
mod failures;
pub(crate) mod pt;

#[cfg(test)]
mod tests;

/// Defines the struct of a page's texts, with a list of them for the tests.
macro_rules! texts {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: &'static str),*
        }

        impl $name {
            #[cfg(test)]
            fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($field), self.$field)),*]
            }
        }
    };
}

/// All texts in one language.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) frame: FrameTexts,
    pub(crate) key: KeyTexts,
    pub(crate) chart: ChartTexts,
    pub(crate) front: FrontTexts,
    pub(crate) series: SeriesTexts,
    pub(crate) series_detail: SeriesDetailTexts,
    pub(crate) take: TakeTexts,
    pub(crate) fx: FxTexts,
    pub(crate) calculator: CalculatorTexts,
    pub(crate) document: DocumentTexts,
    pub(crate) debt: DebtTexts,
    pub(crate) check: CheckTexts,
    pub(crate) explore: ExploreTexts,
    pub(crate) usage: UsageTexts,
    pub(crate) status: StatusTexts,
    pub(crate) pricing: PricingTexts,
    pub(crate) billing: BillingTexts,
    pub(crate) docs: DocsTexts,
    pub(crate) articles: ArticlesTexts,
    pub(crate) error: ErrorTexts,
}

impl Texts {
    /// Every text with its name.
    #[cfg(test)]
    fn all(&self) -> Vec<(&'static str, &'static str)> {
        [
            self.frame.all(),
            self.key.all(),
            self.chart.all(),
            self.front.all(),
            self.series.all(),
            self.series_detail.all(),
            self.take.all(),
            self.fx.all(),
            self.calculator.all(),
            self.document.all(),
            self.debt.all(),
            self.check.all(),
            self.explore.all(),
            self.usage.all(),
            self.status.all(),
            self.pricing.all(),
            self.billing.all(),
            self.docs.all(),
            self.articles.all(),
            self.error.all(),
        ]
        .concat()
    }
}

texts! {
    /// Texts on every page.
    FrameTexts {
        skip, sample, sample_detail, main, languages, series, calculator, indices, which_index, explore, explore_long, pricing,
        pricing_long, docs, docs_long, status, versions, changelog, usage, privacy, get_key, data,
        developers, account, meaning, sources, to_dark, to_light, loading, failed, limited, copy, copied,
        press_copy,
    }
}

texts! {
    /// The reader’s key.
    KeyTexts {
        label, submit, note, get_one, held, forget, malformed, unknown,
    }
}

texts! {
    /// Charts.
    ChartTexts {
        joined, empty, description, as_table, thinned, by_week, by_month, by_year, all_values, date, value,
    }
}

texts! {
    /// The front page.
    FrontTexts {
        title, summary, headline, lead, get_key, see_series, newest, target, cdi_gloss, ipca_gloss, dollar,
        dollar_gloss, since, in_12_months, before, together, together_lead, together_selic, together_ipca,
        all_series, correct, correct_lead, amount, from, to, calculate, correct_note, other_calculations,
        call, call_lead, answer, read_reference, what, companies, filings, calendar, count_series,
        one_series, count_currencies, one_currency, promises, exact, exact_text, proven, proven_text, limit, limit_text, never_less,
        never_less_text,
    }
}

texts! {
    /// The catalogue.
    SeriesTexts {
        title, summary, filter, filter_example, find, found_one, found_many, found_none, late, nothing,
        show_all,
    }
}

texts! {
    /// A series.
    SeriesDetailTexts {
        summary, where_you_are, chart, range, one_year, five_years, all, compare, compare_none,
        compare_show, history, history_text, history_plans, shown, shown_both, facts, unit, frequency, source,
        source_text, official, id, held, held_text, adjusted, revised, yes, no, freshness, fresh, stale,
        made_up, previous, unchanged, call, call_lead, call_reference, transforms, checks, checks_lead,
        check, check_rows, check_worst, check_tolerance, check_result, holds, broken, related, related_all,
    }
}

texts! {
    /// Taking data, pictures and addresses along.
    TakeTexts {
        csv, csv_plan, plans, use_key, share, share_result, picture, embed, embed_text,
    }
}

texts! {
    /// A currency pair, in addition to the texts of every series.
    FxTexts {
        summary, reading, unit, unit_beside, source_text, pair, buy, sell, call_lead,
    }
}

texts! {
    /// The calculator.
    CalculatorTexts {
        title, summary, kinds, correction, accumulation, legal_interest, savings, rent, wages, debt, about_correction,
        about_accumulation, about_legal_interest, about_savings, about_rent, about_wages, about_debt, index, rate, rate_percent, first_month, last_month,
        first_day, last_day, deposit_day, month, rent_month, negative, apply, ignore, old_rent, wages_typed, wages_count, wage,
        amount, calculate, held, result, sentence, sentence_days, sentence_rate, sentence_rent, sentence_amount,
        sentence_wages, sentence_wage, wages_result, wage_result, of_cdi, of_selic, change, factor,
        edition, call, receipt, receipt_text,
        receipt_when, receipt_rate, receipt_amount, credited_on, blank, refused, error_amount, error_percent, error_wages,
        error_one_of, error_month,
        error_reversed, error_early, error_late, error_missing, error_date, error_choice, error_values,
        index_factor, currency, conversion,
    }
}

texts! {
    /// A calculation as a document to print.
    DocumentTexts {
        parties, parties_note, print, rule, rule_correction, rule_cdi, rule_selic, rule_legal, rule_savings, rule_rent, rule_wages,
        rule_rent_apply, rule_rent_ignore, rule_rent_ignored, sample, sample_detail, sample_source,
        source, calculated_at, brasilia, made_by, check, check_now, check_at, not_advice,
    }
}

texts! {
    /// The form and the result of a debt.
    DebtTexts {
        to, index_none, interest, rule_none, rule_simple, rule_legal, monthly_percent, interest_from,
        interest_from_note, from_day, fine_percent, fine_on, fine_corrected, fine_total, fees_percent, instalments,
        instalments_example, instalments_note, sentence, date, label, amount, factor, corrected, interest_percent, total, subtotal, fine, fees,
        result, lines, months, legal_rates, error_line, error_from, error_instalments, error_choice,
        corrected_sum, interest_sum, sum, on_line, on_instalment, error_spaces, error_column, error_date, error_early, error_late, error_label,
        error_percent, error_monthly, error_to, says_correction, says_no_correction, says_simple, says_legal, says_legal_before,
        says_no_interest, says_counted, says_counted_from, says_fine_corrected, says_fine_total, says_no_fine,
        says_fees, says_no_fees, says_rounding,
    }
}

texts! {
    /// The check of a calculation's code.
    CheckTexts {
        title, summary, code, confirmed, confirmed_text, revised, revised_text, revised_gone, sample, sample_text, unknown, unknown_text,
        result, link, code_note, go_on, submit, incomplete, incomplete_text, incomplete_debt, unknown_kind, unreadable,
        compare,
    }
}

texts! {
    /// Companies and filings.
    ExploreTexts {
        title, summary, no_script, search, search_example, search_filings, filters, filters_company, category, from, to, company,
        feed, feed_made,
        company_example, invalid, absent, find, nothing, corrected, relaxed, prompt, prompt_none,
        prompt_bronze, prompt_gold, prompt_plans, companies, filings, of, back, document, more, registered,
        sector, status, tickers, code, no_filings,
    }
}

texts! {
    /// Usage of a key.
    UsageTexts {
        title, summary, no_script, plan, rate, left, total, by_day, nothing, answered, refused, day,
        requests, ok, client_errors, upgrade_required, rate_limited, server_errors, by_endpoint, endpoint,
        utc,
    }
}

texts! {
    /// Freshness of the data.
    StatusTexts {
        title, summary, as_of, all_fresh, some_late, one_late, some_empty, some_sample, all_sample, central_bank, others, fx,
        companies, tickers, filings, source, newest, asked, never, none, rows, state, fresh, late, sample,
        empty, failing, withheld, one_withheld, later, one_later, minutes_ago, hours_ago, days_ago, now, for_programs,
    }
}

texts! {
    /// Plans.
    PricingTexts {
        title, summary, lead, plans, recommended, a_month, a_minute, everything_before,
        everything_after, limits_of, get_key, get_plan, same_key, compare, in_any_minute, included,
        not_included, register, register_lead, own_quota, own_usage, own_key, shown_once_note, name, email,
        name_error, email_error, too_many, create, ready, copy_now, shown_once, first_call, copy_call,
        try_reference,
    }
}

texts! {
    /// Payments, on several pages.
    BillingTexts {
        a_month, price_a_month, same_key, no_script, opening, need_key, failed, paid, paid_lead, waiting,
        in_force, later, no_key, canceled, canceled_lead, title, none, incomplete, trialing, active, past_due,
        unpaid, paused, ended, renews_on, ends_on, manage, plans,
    }
}

texts! {
    /// The API reference.
    DocsTexts {
        title, summary, loading, failed, no_script,
    }
}

texts! {
    /// Pages of text.
    ArticlesTexts {
        indices_title, indices_summary, privacy_title, privacy_summary, versions_title, versions_summary, changelog_title,
        changelog_summary,
    }
}

texts! {
    /// Error pages.
    ErrorTexts {
        home, bad_request, bad_request_text, unauthorized, unauthorized_text, upgrade, upgrade_text,
        forbidden, forbidden_text, not_found, not_found_text, method, method_text, too_large,
        too_large_text, limited, limited_text, internal, internal_text, unavailable, unavailable_text,
    }
}
