//! The conformance suite of all databases. A backend implements [`Place`] and calls [`suite!`].

pub(crate) mod accounts;
pub(crate) mod announcements;
pub(crate) mod billing;
pub(crate) mod changes;
pub(crate) mod copies;
pub(crate) mod files;
pub(crate) mod leases;
pub(crate) mod log;
pub(crate) mod outbox;
pub(crate) mod races;
pub(crate) mod records;
pub(crate) mod removals;
pub(crate) mod replicas;
pub(crate) mod revisions;
pub(crate) mod settings;
pub(crate) mod states;
pub(crate) mod usage;
pub(crate) mod webhooks;
pub(crate) mod withdrawals;
pub(crate) mod withheld;

use std::sync::Arc;

use lastro_store::{Store, open};

/// An empty database for one test.
pub(crate) trait Place {
    fn url(&self) -> String;

    /// Writes directly to the database, as another version would.
    fn change(&self, script: &str);

    /// Does the same on the account side.
    fn change_accounts(&self, script: &str) {
        self.change(script);
    }

    /// Waits until a killed process has no more effect.
    async fn settle(&self) {}

    /// Opens another handle on the same database, as another process would.
    async fn open(&self) -> Arc<dyn Store> {
        open(&self.url()).await.unwrap()
    }
}

/// Defines a test for every function of the suite, on the place created by the expression.
macro_rules! suite {
    ($place:expr) => {
        crate::conformance::tests! { $place,
            records: [
                a_new_store_lists_every_source_without_rows,
                every_kind_of_row_is_returned_as_stored,
                several_sources_are_published_atomically,
                decimals_keep_their_scale,
                filings_come_in_batches,
                only_new_and_different_rows_are_counted,
                setting_or_clearing_a_value_is_a_change,
                editions_share_one_sequence,
                a_publication_that_changes_nothing_keeps_the_edition,
                replacing_or_ending_a_sample_makes_a_new_edition,
                an_abandoned_publication_changes_nothing,
                rows_of_another_kind_reject_the_publication,
                former_names_are_published_with_tickers,
                replacing_deletes_the_rows_of_this_source_only,
                a_load_sees_one_edition_while_the_next_is_published,
                a_dropped_reader_blocks_no_other_call,
            ],
            states: [
                source_states_show_extent_and_freshness,
                a_sample_does_not_count_as_synchronisation,
                a_failed_attempt_keeps_the_rows_and_stores_its_error,
                a_partial_commit_is_not_a_success,
                counters_show_writes_of_other_handles,
                counters_show_attempts_without_a_new_edition,
                counters_show_what_there_is_to_do,
                conditions_restrict_publications,
                an_edition_has_its_publication_time,
            ],
            changes: [
                changed_rows_come_once_in_their_current_state,
                changes_since_an_unknown_edition_are_none,
                an_edition_is_remembered_with_its_extent,
                changing_every_row_restarts_the_change_log,
                too_many_changes_restart_the_change_log,
                editions_too_many_changes_back_are_forgotten,
                editions_too_far_back_are_forgotten,
                a_publication_without_effect_is_not_remembered,
                changes_match_their_edition_during_the_next_publication,
            ],
            log: [
                companies_are_logged_with_their_tickers,
                first_data_and_huge_changes_are_one_replacement,
                old_changes_are_forgotten_up_to_an_anchor,
                a_clock_that_was_behind_takes_no_young_changes_along,
                unlogged_editions_are_told_as_replacements,
                an_abandoned_publication_is_not_logged,
                withdrawals_are_announced,
                a_feed_is_found_by_its_token_until_deleted,
                ended_feeds_are_known_until_forgotten,
            ],
            copies: [
                the_log_leads_from_any_state_to_any_later_one,
                a_registry_and_tickers_published_at_once_are_told_once,
            ],
            withdrawals: [
                rows_that_a_file_lacks_are_withdrawn,
                the_rows_that_a_file_alone_lists_are_known,
                filings_of_days_to_come_leave_and_come_back,
                a_file_of_another_year_keeps_its_rows,
                a_filing_in_two_files_stays_until_both_drop_it,
                files_that_an_earlier_version_read_may_list_what_others_lack,
                withdrawn_rows_are_not_counted,
            ],
            revisions: [
                recording_begins_with_the_first_history,
                changes_are_recorded_with_edition_and_time,
                exchange_rates_are_recorded_pair_by_pair,
                a_point_written_twice_is_recorded_once,
                an_abandoned_publication_is_not_recorded,
                samples_are_not_recorded,
                replacing_all_rows_restarts_the_recording,
                a_first_history_in_parts_is_not_recorded_as_additions,
                companies_and_filings_are_not_recorded,
                recording_restarts_after_an_older_version_publishes,
                recording_waits_for_an_edition_with_a_known_time,
                earlier_states_can_be_rebuilt_from_revisions,
                concurrent_publications_are_recorded_in_order,
            ],
            files: [
                files_are_stored_with_their_rows,
                a_file_read_again_replaces_the_stored_one,
                withheld_rows_are_listed_and_no_rejects,
                a_failed_publication_keeps_the_stored_files,
                the_first_thousand_rejects_are_kept_and_all_are_counted,
                rejects_come_in_file_order_up_to_the_limit,
                replacing_forgets_the_files_of_this_source_only,
                a_file_alone_does_not_make_an_edition,
            ],
            withheld: [
                withheld_points_are_returned_as_stored,
                a_new_list_replaces_the_old_one,
                a_publication_without_a_list_keeps_the_old_one,
                a_failed_publication_keeps_the_withheld_points,
                replacing_forgets_withheld_points_of_this_source_only,
            ],
            billing: [
                a_billing_state_is_returned_as_recorded,
                a_stale_billing_state_changes_nothing,
                an_account_is_erased_only_with_the_billing_that_was_read,
                billing_without_a_new_plan_renews_no_key,
                billing_ends_with_its_account,
                accounts_with_billing_are_not_removed_as_unused,
                due_billing_is_what_can_still_change,
                billing_events_are_known_until_forgotten,
            ],
            leases: [
                a_lease_has_one_holder_until_it_ends,
                a_renewed_lease_does_not_end,
                a_released_lease_is_free_at_once,
                only_one_of_many_takers_succeeds,
                a_lease_beyond_the_longest_end_is_taken_over,
            ],
            accounts: [
                a_key_is_returned_as_stored,
                a_taken_id_is_a_conflict_and_leaves_no_trace,
                keys_since_returns_every_change,
                a_plan_applies_to_all_keys_of_the_account,
                an_agreed_limit_can_be_set_kept_and_removed,
                the_earliest_end_of_a_key_is_kept,
                a_rotated_key_shares_the_account_and_ends_the_old_one,
                a_key_that_has_an_end_cannot_be_rotated,
                an_account_without_a_lasting_key_gets_a_new_one,
                a_key_rotated_without_grace_is_revoked,
                ended_keys_are_revoked_for_good,
                unknown_keys_are_not_found,
            ],
            removals: [
                erasing_a_person_leaves_only_usage_counts,
                a_removal_is_reported_until_forgotten,
                changes_and_removals_share_one_order_and_limit,
                unused_registered_keys_are_removed,
                a_key_that_was_used_once_is_never_removed,
            ],
            usage: [
                a_repeated_batch_is_added_once,
                counts_of_several_processes_add_up,
                usage_can_be_added_for_any_day,
                a_forgotten_process_can_keep_counting,
                usage_includes_both_end_days,
                last_used_returns_the_last_day,
            ],
            settings: [
                the_first_value_of_a_setting_is_kept,
            ],
            webhooks: [
                a_webhook_is_returned_as_stored,
                series_only_webhooks_are_readable_by_older_versions,
                events_of_later_versions_are_left_alone,
                no_account_gets_more_webhooks_than_allowed,
                a_change_keeps_unnamed_fields,
                enabling_clears_the_failures,
                a_new_address_clears_the_failures,
                the_owner_cannot_enable_what_the_operator_disabled,
                deleting_a_webhook_deletes_its_deliveries,
                a_rotated_secret_signs_until_its_end,
                the_number_of_signing_secrets_is_limited,
                the_newest_secret_is_first_after_a_clock_set_back,
                unknown_webhooks_are_not_an_error,
            ],
            announcements: [
                added_and_changed_rows_are_announced_with_their_edition,
                every_kind_of_row_is_announced_as_it_was_published,
                the_any_series_event_is_announced_if_wanted,
                first_and_sample_data_is_not_announced,
                first_data_in_parts_is_not_announced,
                nothing_is_announced_without_subscribers,
                a_large_publication_is_announced_in_parts,
                an_abandoned_publication_announces_nothing,
            ],
            outbox: [
                an_announcement_is_fanned_out_once,
                fanned_out_announcements_are_deleted_for_good,
                a_message_to_a_deleted_webhook_is_dropped,
                one_message_of_a_webhook_is_claimed_at_a_time,
                a_claim_excludes_others_until_it_ends,
                a_clock_ahead_does_not_delay_deliveries_forever,
                messages_are_claimed_in_order_when_due,
                a_slow_webhook_does_not_block_others,
                nothing_is_claimed_for_ineligible_accounts,
                ineligible_webhooks_do_not_use_up_the_limit,
                attempts_and_state_are_recorded,
                a_lost_lease_only_records_the_attempt,
                a_disabled_webhook_keeps_its_messages,
                a_gone_receiver_keeps_the_operators_disabling,
                a_redelivery_makes_a_message_due,
                a_redelivery_during_delivery_stays_due,
                a_redelivery_at_the_same_due_time_stays_due,
                a_pause_requested_by_the_receiver_is_respected,
                messages_sent_outside_the_outbox_are_never_due,
                deliveries_are_forgotten_by_age,
            ],
            replicas: [
                replicas_see_each_others_latest_row,
                a_replica_that_leaves_is_gone_at_once,
                replicas_not_seen_for_long_are_forgotten,
                concurrent_replicas_are_all_seen,
                all_handles_share_one_clock_or_none,
            ],
            races: [
                no_message_is_claimed_twice,
                a_follower_of_revisions_sees_every_key_state,
                a_key_has_one_successor,
                no_account_gets_an_eleventh_webhook,
                an_announcement_becomes_messages_once,
                a_webhook_can_be_deleted_during_fan_out,
                concurrent_counts_add_up,
                publications_of_one_source_take_turns,
                concurrent_first_publications_succeed_once,
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
