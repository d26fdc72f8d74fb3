use lastro_access::{Applicant, Grant, IssuedKey};
use lastro_model::{AccountId, ParseError, Plan};

use crate::{randomness, some_pepper};

fn issued() -> IssuedKey {
    IssuedKey::generate(&some_pepper(), &mut randomness(1))
}

#[test]
fn new_account_has_its_first_keys_id_and_digest() {
    let issued = issued();
    let applicant = Applicant::new("  Ana Souza ", "ana@example.com").unwrap();
    let new = issued.for_new_account(
        applicant,
        Grant::by_operator(Plan::Gold, Some(7)),
        jiff::Timestamp::UNIX_EPOCH,
    );
    assert_eq!((new.id, new.account.id), (issued.key.id(), AccountId(issued.key.id())));
    assert_eq!((new.account.name.as_str(), new.account.email.as_str()), ("Ana Souza", "ana@example.com"));
    assert_eq!((new.account.plan, new.account.rate_limit, new.self_registered), (Plan::Gold, Some(7), false));
    assert_eq!(some_pepper().digest(&issued.key), new.digest);
}

#[test]
fn registration_grants_the_free_plan() {
    let applicant = Applicant::new("Ana", "ana@example.com").unwrap();
    let new = issued().for_new_account(applicant, Grant::REGISTRATION, jiff::Timestamp::UNIX_EPOCH);
    assert_eq!((new.account.plan, new.account.rate_limit, new.self_registered), (Plan::Free, None, true));
}

#[test]
fn applicant_errors_name_the_field_and_debug_hides_the_person() {
    let long = "x".repeat(101);
    for name in ["", "  ", "Ana\u{202e}", &long] {
        assert_eq!(Applicant::new(name, "ana@example.com").unwrap_err().field, "name", "{name}");
    }
    for email in ["", "ana", "Ana <ana@example.com>", "ana@example.com\n"] {
        let error = Applicant::new("Ana", email).unwrap_err();
        assert_eq!(error.to_string(), "`email` must be a valid e-mail address of at most 254 characters");
        assert_eq!(error.reason, ParseError("must be a valid e-mail address of at most 254 characters"));
    }
    assert_eq!(format!("{:?}", Applicant::new("Ana", "ana@example.com").unwrap()), "Applicant(…)");
}
