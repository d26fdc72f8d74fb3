//! Brands, abbreviations and earlier names by which people know listed companies. They are not in the registry, whose
//! registration forms have only the latest former name. Also listed: parts of a registered name that equal the whole
//! name of another company, which is cancelled or not listed.

use lastro_model::CompanyId;

/// Registry code, registered name when the row was written, and the names in everyday use. In the order of the codes.
#[rustfmt::skip]
const BRANDS: &[(u32, &str, &[&str])] = &[
    (922, "Banco da Amazônia", &["Basa"]),
    (1023, "Banco do Brasil", &["BB"]),
    (1228, "Banco do Nordeste do Brasil", &["BNB"]),
    (2429, "Irani Papel e Embalagem", &["Celulose Irani"]),
    (2437, "Centrais Elétricas Brasileiras", &["Axia", "Axia Energia"]),
    (3050, "Ampla Energia e Serviços", &["Enel Rio", "Enel Distribuição Rio", "CERJ"]),
    (4170, "Vale", &["Companhia Vale do Rio Doce", "Vale do Rio Doce", "CVRD"]),
    (4669, "Guararapes Confecções", &["Riachuelo", "Lojas Riachuelo"]),
    (4820, "Braskem", &["Copene"]),
    (5258, "Raia Drogasil", &["Raia", "Droga Raia", "RD Saúde", "RD"]),
    (6173, "Taurus Armas", &["Forjas Taurus"]),
    (6211, "Fras-le", &["Frasle Mobility"]),
    (6505, "Grupo Casas Bahia", &["Via Varejo", "Via", "Globex"]),
    (7510, "Romi", &["Indústrias Romi"]),
    (8133, "Lojas Renner", &["Camicado"]),
    (8672, "Iguatemi", &["Jereissati Participações"]),
    (9342, "Dimed Distribuidora de Medicamentos", &["Grupo Panvel"]),
    (9989, "Refinaria de Petróleos de Manguinhos", &["Refit"]),
    (10456, "Alpargatas", &["Havaianas", "São Paulo Alpargatas"]),
    (10472, "Saraiva Livreiros", &["Livraria Saraiva"]),
    (11312, "Oi", &["Telemar"]),
    (11762, "Vulcabras", &["Olympikus", "Azaleia", "Vulcabras Azaleia"]),
    (11932, "Iochpe Maxion", &["Iochpe"]),
    (12696, "Sansuy Indústria de Plásticos", &["Sansuy"]),
    (13285, "Josapar", &["Tio João"]),
    (13986, "Suzano", &["Fibria"]),
    (14109, "Randon Implementos e Participações", &["Randon", "Randoncorp"]),
    (14176, "Eletropaulo Metropolitana", &["Enel São Paulo", "Enel SP", "Enel Distribuição São Paulo"]),
    (14346, "Whirlpool", &["Brastemp", "Consul", "Multibrás"]),
    (14362, "Companhia Energética de Pernambuco", &["Neoenergia Pernambuco"]),
    (14524, "Companhia de Eletricidade do Estado da Bahia", &["Neoenergia Coelba"]),
    (14605, "Energisa Mato Grosso Distribuidora de Energia", &["Cemat"]),
    (14826, "Companhia Brasileira de Distribuição", &["GPA", "Grupo Pão de Açúcar", "CBD", "Extra"]),
    (14869, "Companhia Energética do Ceará", &["Enel Ceará"]),
    (16292, "BRF", &["Sadia", "Perdigão", "Brasil Foods", "BR Foods"]),
    (16608, "Equatorial Maranhão Distribuidora de Energia", &["Cemar"]),
    (16616, "Companhia Distribuidora de Gás do Rio de Janeiro", &["Naturgy"]),
    (16632, "Dexxos Participações", &["GPC Participações"]),
    (17329, "Engie Brasil Energia", &["Gerasul"]),
    (17485, "Elektro Redes", &["Neoenergia Elektro"]),
    (17671, "Telefônica Brasil", &["Vivo", "Telesp", "GVT"]),
    (17973, "Cogna Educação", &["Anhanguera Educacional", "Anhanguera"]),
    (18139, "Companhia Energética do Rio Grande do Norte", &["Neoenergia Cosern"]),
    (18309, "Equatorial Pará Distribuidora de Energia", &["Celpa"]),
    (18376, "CTEEP", &["ISA CTEEP", "ISA Energia", "ISA Energia Brasil", "Transmissão Paulista"]),
    (18414, "Padtec Holding", &["Ideiasnet"]),
    (18465, "Ultrapar Participações", &["Grupo Ultra", "Ipiranga", "Posto Ipiranga", "Ultragaz", "Ultracargo"]),
    (18660, "CPFL Energia", &["CPFL"]),
    (18821, "CCR", &["Motiva", "Companhia de Concessões Rodoviárias"]),
    (19100, "Atma Participações", &["Atma", "Contax", "Liq"]),
    (19348, "Itaú Unibanco Holding", &["Banco Itaú"]),
    (19453, "EcoRodovias Infraestrutura e Logística", &["EcoRodovias"]),
    (19569, "Gol Linhas Aéreas Inteligentes", &["Smiles"]),
    (19615, "Grendene", &["Melissa"]),
    (19623, "Diagnósticos da América", &["Dasa", "Delboni"]),
    (19739, "Localiza Rent a Car", &["Localiza"]),
    (19771, "Arteris", &["OHL Brasil"]),
    (19992, "Totvs", &["Microsiga"]),
    (20044, "CSU Digital", &["CSU Cardsystem"]),
    (20257, "Transmissora Aliança de Energia Elétrica", &["Taesa", "Terna Participações"]),
    (20338, "M. Dias Branco", &["Adria", "Piraquê"]),
    (20532, "Banco Santander (Brasil)", &["Banco Santander"]),
    (20575, "JBS", &["Friboi", "Seara", "Swift"]),
    (20605, "JHSF Participações", &["Fasano", "Cidade Jardim"]),
    (20648, "Companhia Estadual de Distribuição de Energia Elétrica", &["CEEE Equatorial"]),
    (20702, "Viver Incorporadora e Construtora", &["Inpar"]),
    (20770, "EZ Tec Empreendimentos e Participações", &["EZTec"]),
    (20788, "Marfrig Global Foods", &["MBRF"]),
    (20915, "MRV Engenharia e Participações", &["MRV&Co"]),
    (20966, "Springs Global Participações", &["Artex", "MMartan"]),
    (20990, "Americanas", &["Lojas Americanas", "B2W", "B2W Digital", "Submarino", "Shoptime"]),
    (21016, "Yduqs Participações", &["Ibmec"]),
    (21040, "Syn Prop & Tech", &["Cyrela Commercial Properties", "CCP"]),
    (21091, "Dexco", &["Duratex", "Deca", "Satipel"]),
    (21180, "Nexpe Participações", &["Brasil Brokers"]),
    (21199, "Banco Pan", &["Banco Panamericano", "Panamericano"]),
    (21237, "Eneva", &["MPX", "MPX Energia"]),
    (21431, "Hypera", &["Hypermarcas", "Neo Química"]),
    (21440, "Veste Estilo", &["Restoque", "Dudalina"]),
    (21610, "B3", &["Bovespa", "BM&FBovespa", "Bolsa de Valores de São Paulo"]),
    (21733, "Cielo", &["VisaNet"]),
    (22020, "JSL", &["Julio Simões"]),
    (22055, "Marisa Lojas", &["Marisa"]),
    (22187, "Prio", &["HRT", "HRT Participações em Petróleo"]),
    (22349, "Arezzo Indústria e Comércio", &["Arezzo&Co", "Azzas", "Azzas 2154", "Schutz", "Reserva", "Anacapri"]),
    (22357, "Allos", &["Aliansce", "Aliansce Sonae", "Sonae Sierra Brasil"]),
    (22365, "Enauta Participações", &["Queiroz Galvão Exploração e Produção"]),
    (22454, "T4F Entretenimento", &["Time for Fun"]),
    (22470, "Magazine Luiza", &["Magalu", "Netshoes", "KaBuM"]),
    (22608, "Empreendimentos Pague Menos", &["Farmácias Pague Menos", "Extrafarma"]),
    (22780, "Unicasa Indústria de Móveis", &["Dell Anno"]),
    (23221, "Ser Educacional", &["Uninassau"]),
    (23248, "Anima Holding", &["Ânima Educação", "Anhembi Morumbi", "GAEC Educação"]),
    (23264, "Ambev", &["Brahma", "Skol", "Antarctica"]),
    (23272, "Log Commercial Properties e Participações", &["Log CP"]),
    (23310, "CVC Brasil Operadora e Agência de Viagens", &["CVC Corp"]),
    (23426, "Serena Geração", &["Omega Geração"]),
    (23507, "Ouro Fino Saúde Animal Participações", &["Ourofino"]),
    (23515, "Concessionária do Aeroporto Internacional de Guarulhos", &["GRU Airport"]),
    (23574, "International Meal Company Alimentação", &["International Meal Company", "IMC", "Frango Assado", "Viena"]),
    (23590, "Wiz Co Participações e Corretagem de Seguros", &["Wiz Soluções", "Par Corretora"]),
    (24058, "Alliança Saúde e Participações", &["Alliar"]),
    (24171, "Atacadão", &["Carrefour", "Carrefour Brasil", "Grupo Carrefour"]),
    (24180, "IRB - Brasil Resseguros", &["IRB Brasil RE", "IRB(Re)"]),
    (24260, "Smartfit Escola de Ginástica e Dança", &["Smart Fit", "Bio Ritmo"]),
    (24295, "Vibra Energia", &["BR Distribuidora", "Petrobras Distribuidora"]),
    (24317, "Zamp", &["Burger King", "BK Brasil", "Popeyes"]),
    (24392, "Hapvida Participações e Investimentos", &["NotreDame Intermédica", "Intermédica", "GNDI"]),
    (24694, "Grupo SBF", &["Centauro"]),
    (24783, "Natura & Co Holding", &["Avon"]),
    (24910, "LWSA", &["Locaweb"]),
    (24953, "Allpark Empreendimentos, Participações e Serviços", &["Estapar"]),
    (25011, "Grupo de Moda Soma", &["Farm", "Animale", "Hering", "Cia Hering"]),
    (25046, "d1000 Varejo Farma Participações", &["Drogasmil", "Drogarias Tamoio", "Drogaria Rosário"]),
    (25089, "Pet Center Comércio e Participações", &["Petz"]),
    (25283, "Aeris Indústria e Comércio de Equipamentos", &["Aeris Energy"]),
    (25291, "3R Petroleum Óleo e Gás", &["Brava", "Brava Energia"]),
    (25372, "Sendas Distribuidora", &["Sendas", "Assaí", "Assaí Atacadista"]),
    (25445, "MPM Corpóreos", &["Espaçolaser"]),
    (25461, "Mobly", &["Tok&Stok", "Toky"]),
    (25526, "Cruzeiro do Sul Educacional", &["Cruzeiro do Sul"]),
    (25542, "CVLB Brasil", &["Casa & Video", "Le Biscuit"]),
    (25585, "CSN Mineração", &["Congonhas Minérios", "Namisa"]),
    (25640, "AES Brasil Energia", &["AES Tietê"]),
    (25682, "CM Hospitalar", &["Viveo"]),
    (25712, "GPS Participações e Empreendimentos", &["Grupo GPS"]),
    (25852, "W2W E-Commerce de Vinhos", &["Wine", "Wine.com.br"]),
    (25895, "Livetech da Bahia Indústria e Comércio", &["WDC Networks", "WDC"]),
    (25917, "Raízen", &["Raízen Combustíveis"]),
    (25950, "Três Tentos Agroindustrial", &["3tentos"]),
    (25984, "Companhia Brasileira de Alumínio", &["CBA"]),
    (26034, "Multilaser Industrial", &["Multi"]),
    (26077, "TC", &["TradersClub"]),
    (26166, "Grupo Fartura de Hortifrut", &["Oba Hortifruti"]),
    (26441, "Serena Energia", &["Omega Energia", "Omega"]),
    (27057, "Vitru Brasil", &["Uniasselvi"]),
];

/// The names by which people know a company, beside those of the registry.
pub(super) fn brands_of(id: CompanyId) -> &'static [&'static str] {
    let place = BRANDS.binary_search_by_key(&id.0, |(code, ..)| *code);
    place.ok().and_then(|place| BRANDS.get(place)).map_or(&[], |(.., brands)| brands)
}

/// The companies that have brands.
pub fn companies_with_brands() -> impl Iterator<Item = CompanyId> {
    BRANDS.iter().map(|(code, ..)| CompanyId(*code))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::companies::legal_forms::places_of_name;
    use crate::companies::names::letters;
    use lastro_search::words_of;

    #[test]
    fn brands_are_in_the_order_of_the_codes() {
        assert!(BRANDS.is_sorted_by_key(|(code, ..)| *code));
        assert!(BRANDS.iter().all(|(_, name, brands)| !name.is_empty() && !brands.is_empty()));
        assert_eq!(brands_of(CompanyId(20257))[0], "Taesa");
        assert_eq!(brands_of(CompanyId(20258)), [""; 0]);
    }

    /// Status, name and trading name of each registry code in the regulator's file.
    fn registry() -> Option<HashMap<u32, [String; 3]>> {
        let directory = std::path::PathBuf::from(std::env::var_os("LASTRO_REAL_DATA")?);
        let bytes = std::fs::read(directory.join("cvm/cad_cia_aberta.csv")).unwrap();
        let text: String = bytes.into_iter().map(char::from).collect();
        let columns: Vec<&str> = text.lines().next()?.split(';').collect();
        let place = |name: &str| columns.iter().position(|column| *column == name).unwrap();
        let wanted = ["SIT", "DENOM_SOCIAL", "DENOM_COMERC"].map(place);
        let rows = text.lines().skip(1).map(|line| line.split(';').collect::<Vec<_>>());
        Some(
            rows.map(|row| {
                (row[place("CD_CVM")].parse().unwrap(), wanted.map(|place| row[place].to_owned()))
            })
            .collect(),
        )
    }

    /// The first word that is no legal form. The registry abbreviates words.
    fn first_word(name: &str) -> String {
        let words = words_of(name);
        places_of_name(&words).first().map_or_else(String::new, |first| words[*first].clone())
    }

    #[test]
    fn codes_are_those_of_the_named_companies() {
        let Some(registry) = registry() else { return };
        for (code, name, brands) in BRANDS {
            let [status, registered, trading_name] = registry.get(code).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(status, "ATIVO", "{name}");
            let [one, other] = [*name, registered.as_str()].map(first_word);
            let is_same = one.starts_with(&other) || other.starts_with(&one);
            assert!(is_same, "{name}: {code} is the code of {registered}");
            let own = [registered, trading_name].map(|name| letters(&words_of(name)));
            let others = brands.iter().filter(|brand| !own.contains(&letters(&words_of(brand))));
            assert_eq!(others.count(), brands.len(), "{registered}: {brands:?}");
        }
    }
}
