#![no_main]

use lastro_model::Cnpj;

// A parsed CNPJ parses again from its displayed form.
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(cnpj) = Cnpj::parse(text) {
        assert_eq!(Cnpj::parse(&cnpj.to_string()), Ok(cnpj));
    }
});
