#![no_main]

use lastro_model::Cnpj;

// What is read as a CNPJ is read back from the form that it is shown in.
libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(cnpj) = Cnpj::parse(text) {
        assert_eq!(Cnpj::parse(&cnpj.to_string()), Ok(cnpj));
    }
});
