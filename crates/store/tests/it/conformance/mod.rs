//! What every database must do. A backend joins by implementing [`Place`] and calling [`suite!`].

pub(crate) mod accounts;
pub(crate) mod announcements;
pub(crate) mod changes;
pub(crate) mod files;
pub(crate) mod leases;
pub(crate) mod outbox;
pub(crate) mod races;
pub(crate) mod records;
pub(crate) mod removals;
pub(crate) mod replicas;
pub(crate) mod revisions;
pub(crate) mod settings;
pub(crate) mod usage;
pub(crate) mod webhooks;
pub(crate) mod withheld;

use std::sync::Arc;

use lastro_store::{Store, open};

/// An empty database of its own for one test.
pub(crate) trait Place {
    fn url(&self) -> String;

    /// Writes past the store, as another version would.
    fn change(&self, script: &str);

    /// The same on the side of the accounts.
    fn change_accounts(&self, script: &str) {
        self.change(script);
    }

    /// Waits until nothing of a process that was killed goes on.
    async fn settle(&self) {}

    /// Another handle on the same database, as another process would have.
    async fn open(&self) -> Arc<dyn Store> {
        open(&self.url()).await.unwrap()
    }
}

/// A test for every function of the suite, on the place that the expression makes.
macro_rules! suite {
    ($place:expr) => {
        crate::conformance::tests! { $place,
            records: [
                a_new_store_knows_every_source_and_holds_no_rows,
                every_kind_of_row_comes_back_as_it_went_in,
                several_sources_go_in_together_or_not_at_all,
                decimals_keep_their_scale,
                filings_come_in_batches,
                only_new_and_different_rows_are_counted,
                a_missing_value_that_appears_or_vanishes_is_a_change,
                editions_are_numbers_of_one_sequence,
                a_publication_that_changes_nothing_keeps_the_edition,
                a_publication_that_replaces_or_ends_a_sample_is_a_new_edition,
                an_abandoned_publication_changes_nothing,
                rows_of_another_kind_are_refused_whole,
                replacing_deletes_the_rows_of_this_source_only,
                a_source_tells_its_extent_and_its_freshness,
                a_sample_is_no_synchronisation,
                a_failed_attempt_leaves_its_sentence_and_the_rows,
                a_part_of_a_source_is_no_success,
                a_load_sees_one_edition_while_the_next_is_published,
                a_reader_that_leaves_holds_up_nobody,
                counters_tell_what_another_handle_wrote,
                counters_tell_of_attempts_that_leave_the_edition_as_it_is,
                data_goes_only_where_nothing_was_ever_published_if_it_says_so,
                an_edition_tells_when_it_was_published,
            ],
            changes: [
                the_rows_that_changed_since_an_edition_come_as_they_are_now_and_once,
                what_the_store_does_not_remember_it_does_not_tell,
                an_edition_is_remembered_with_its_extent,
                what_changes_every_row_begins_anew,
                more_changes_than_are_worth_telling_begin_anew,
                what_lies_too_many_changes_back_is_forgotten,
                what_lies_too_many_editions_back_is_forgotten,
                a_publication_that_comes_to_nothing_is_not_remembered,
                changes_lead_to_the_edition_they_name_while_the_next_is_published,
            ],
            revisions: [
                a_first_history_is_where_recording_begins,
                what_is_changed_and_added_is_recorded_with_its_edition_and_time,
                exchange_rates_are_recorded_pair_by_pair,
                a_point_that_comes_twice_is_recorded_once,
                a_publication_that_comes_to_nothing_is_not_recorded,
                a_sample_is_neither_edition_nor_revision,
                replacing_all_rows_begins_anew,
                a_history_that_comes_in_parts_is_no_list_of_additions,
                companies_and_filings_are_not_recorded,
                what_an_earlier_version_published_is_where_recording_begins_again,
                what_was_published_at_an_unknown_time_begins_with_the_next_edition,
                every_earlier_state_can_be_told_from_what_is_recorded,
                publications_at_once_are_recorded_one_after_the_other,
            ],
            files: [
                what_was_read_is_remembered_with_the_rows,
                a_file_read_again_takes_the_place_of_what_was_known,
                a_file_outlives_no_failed_publication,
                the_first_thousand_rejects_are_kept_and_all_are_counted,
                rejects_come_in_the_order_of_the_file_and_no_more_than_asked_for,
                replacing_forgets_the_files_of_this_source_only,
                a_file_alone_is_no_new_edition,
            ],
            withheld: [
                what_is_withheld_comes_back_as_it_went_in,
                a_newer_list_takes_the_place_of_the_older,
                a_publication_that_says_nothing_of_it_leaves_it_as_it_was,
                what_is_withheld_outlives_no_failed_publication,
                replacing_forgets_what_was_withheld_of_this_source_only,
            ],
            leases: [
                a_lease_is_one_holders_until_it_ends,
                a_lease_that_is_renewed_does_not_end,
                a_lease_that_is_given_up_is_free_at_once,
                of_many_takers_one_succeeds,
                a_lease_that_ends_later_than_any_can_is_taken_over,
            ],
            accounts: [
                a_key_comes_back_as_it_was_kept,
                a_taken_id_is_a_conflict_and_leaves_no_trace,
                every_change_of_a_key_is_seen_by_who_asks_for_what_is_new,
                a_plan_applies_to_all_keys_of_the_account,
                an_agreed_limit_can_be_set_left_and_lifted,
                the_first_end_of_a_key_stands,
                a_rotated_key_shares_the_account_and_ends_the_old_one,
                a_key_that_has_an_end_cannot_be_rotated,
                a_key_rotated_without_grace_is_revoked,
                a_key_whose_end_has_come_is_closed_for_good,
                unknown_keys_are_not_found,
            ],
            removals: [
                an_erased_person_leaves_nothing_but_what_was_used,
                a_removal_is_told_until_it_is_forgotten,
                changes_and_removals_come_in_one_order_and_no_more_than_asked_for,
                a_registered_key_that_was_never_used_is_removed_in_time,
                a_key_that_was_used_once_is_never_removed,
            ],
            usage: [
                a_batch_is_added_once_however_often_it_is_handed_over,
                counts_of_several_processes_add_up,
                any_day_can_be_counted_for_at_any_time,
                a_process_that_was_forgotten_goes_on_counting,
                both_ends_of_the_days_asked_for_belong_to_them,
                the_last_day_of_use_is_known,
            ],
            settings: [
                the_first_value_of_a_setting_stands_for_every_handle,
            ],
            webhooks: [
                a_webhook_comes_back_as_it_was_kept,
                a_webhook_that_wants_to_hear_of_series_alone_is_understood_by_earlier_versions,
                no_account_gets_more_webhooks_than_allowed,
                a_change_leaves_what_it_does_not_name,
                enabling_forgets_the_failures,
                another_address_begins_without_failures,
                the_owner_does_not_undo_the_operators_word,
                a_deleted_webhook_takes_its_deliveries_along,
                a_rotated_secret_signs_until_its_end,
                however_often_a_secret_is_rotated_only_a_few_sign,
                the_newest_secret_is_first_also_where_the_clock_was_set_back,
                unknown_webhooks_are_an_answer,
            ],
            announcements: [
                what_a_publication_added_and_changed_is_announced_with_its_edition,
                every_kind_of_row_is_announced_as_it_was_published,
                any_series_is_announced_to_whoever_asks_for_it,
                first_and_made_up_data_is_no_news,
                the_first_data_is_no_news_however_many_parts_it_comes_in,
                nothing_is_noted_where_nobody_listens,
                a_large_publication_is_announced_in_parts,
                an_abandoned_publication_announces_nothing,
            ],
            outbox: [
                an_announcement_is_fanned_out_once,
                what_was_fanned_out_is_cleared_away_and_stays_so,
                a_message_to_a_webhook_that_is_gone_is_dropped,
                one_message_of_a_webhook_is_claimed_at_a_time,
                a_lease_keeps_others_away_until_it_ends,
                a_clock_that_was_ahead_puts_no_delivery_off_for_ever,
                messages_come_in_their_order_and_none_before_it_is_due,
                one_slow_webhook_holds_up_no_other,
                nothing_is_claimed_for_who_may_not_have_it,
                who_may_not_have_it_takes_nobodys_turn,
                attempts_are_written_down_and_the_state_with_them,
                who_lost_the_lease_changes_nothing_but_the_log,
                a_disabled_webhook_keeps_its_messages,
                a_receiver_that_is_gone_does_not_undo_the_operators_word,
                a_delivery_is_made_due_again,
                what_is_asked_for_again_while_it_is_delivered_stays_due,
                what_is_asked_for_again_in_the_millisecond_it_was_due_stays_due,
                a_webhook_is_left_alone_for_as_long_as_its_receiver_asked,
                what_was_sent_outside_is_in_the_log_and_never_due,
                deliveries_are_forgotten_by_age,
            ],
            replicas: [
                a_replica_is_seen_by_the_others_as_it_last_wrote_of_itself,
                a_replica_that_leaves_is_gone_at_once,
                replicas_not_seen_for_long_are_forgotten,
                replicas_that_write_at_once_are_all_seen,
                the_store_has_one_time_for_all_or_none,
            ],
            races: [
                no_message_is_claimed_twice,
                whoever_follows_the_revisions_knows_every_key_as_it_is,
                a_key_has_one_successor,
                no_account_gets_an_eleventh_webhook,
                an_announcement_becomes_messages_once,
                a_webhook_may_vanish_while_it_is_written_to,
                counts_that_are_added_at_once_add_up,
                publications_of_one_source_take_turns,
                data_that_goes_only_where_none_is_goes_there_once,
            ],
        }
    };
}

macro_rules! tests {
    ($place:expr, $($module:ident: [$($test:ident,)*],)*) => {$(
        mod $module {
            use super::*;
            $(
                #[tokio::test]
                async fn $test() {
                    crate::conformance::$module::$test(&$place).await;
                }
            )*
        }
    )*};
}

pub(crate) use {suite, tests};
