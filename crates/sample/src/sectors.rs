//! The regulator's sector names, and the forms of company names in each. `*` stands for the coined name.

pub(super) struct Sector {
    pub(super) name: &'static str,
    /// Approximate number of companies of the registry in this sector.
    pub(super) weight: u32,
    pub(super) forms: &'static [&'static str],
}

const fn sector(name: &'static str, weight: u32, forms: &'static [&'static str]) -> Sector {
    Sector { name, weight, forms }
}

pub(super) const SECTORS: &[Sector] = &[
    sector("Bancos", 115, &["BANCO *", "BANCO *", "BANCO * DE INVESTIMENTO", "* BANCO MÚLTIPLO"]),
    sector(
        "Energia Elétrica",
        115,
        &[
            "* ENERGIA",
            "* GERAÇÃO DE ENERGIA",
            "TRANSMISSORA * DE ENERGIA ELÉTRICA",
            "* DISTRIBUIDORA DE ENERGIA",
            "CENTRAIS EÓLICAS *",
            "HIDRELÉTRICA *",
        ],
    ),
    sector(
        "Emp. Adm. Part. - Energia Elétrica",
        47,
        &["* ENERGIA PARTICIPAÇÕES", "* HOLDING DE ENERGIA", "* RENOVÁVEIS PARTICIPAÇÕES"],
    ),
    sector(
        "Comércio (Atacado e Varejo)",
        106,
        &["LOJAS *", "* COMERCIAL", "* VAREJO", "* ATACADO E DISTRIBUIÇÃO", "SUPERMERCADOS *"],
    ),
    sector(
        "Emp. Adm. Part. - Comércio (Atacado e Varejo)",
        22,
        &["* VAREJO PARTICIPAÇÕES", "* COMERCIAL HOLDING"],
    ),
    sector(
        "Emp. Adm. Participações",
        156,
        &["* PARTICIPAÇÕES", "* EMPREENDIMENTOS E PARTICIPAÇÕES", "* HOLDING"],
    ),
    sector(
        "Emp. Adm. Part. - Sem Setor Principal",
        107,
        &["* PARTICIPAÇÕES E INVESTIMENTOS", "GRUPO * PARTICIPAÇÕES", "* INVESTIMENTOS"],
    ),
    sector(
        "Máquinas, Equipamentos, Veículos e Peças",
        150,
        &["* EQUIPAMENTOS", "* INDÚSTRIA MECÂNICA", "* AUTOPEÇAS", "* IMPLEMENTOS AGRÍCOLAS"],
    ),
    sector(
        "Construção Civil, Mat. Constr. e Decoração",
        150,
        &[
            "* INCORPORADORA",
            "CONSTRUTORA *",
            "* ENGENHARIA E CONSTRUÇÕES",
            "CIMENTOS *",
            "* REVESTIMENTOS CERÂMICOS",
        ],
    ),
    sector(
        "Emp. Adm. Part. - Const. Civil, Mat. Const. e Decoração",
        26,
        &["* REALTY PARTICIPAÇÕES", "* DESENVOLVIMENTO URBANO HOLDING"],
    ),
    sector(
        "Securitização de Recebíveis",
        120,
        &["* SECURITIZADORA", "COMPANHIA SECURITIZADORA *", "* SECURITIZADORA DE CRÉDITOS FINANCEIROS"],
    ),
    sector(
        "Metalurgia e Siderurgia",
        120,
        &["SIDERÚRGICA *", "METALÚRGICA *", "* AÇOS ESPECIAIS", "FUNDIÇÃO *"],
    ),
    sector(
        "Serviços Transporte e Logística",
        130,
        &[
            "* LOGÍSTICA",
            "CONCESSIONÁRIA * DE RODOVIAS",
            "TERMINAL PORTUÁRIO *",
            "FERROVIA *",
            "* TRANSPORTES",
        ],
    ),
    sector(
        "Emp. Adm. Part. - Serviços Transporte e Logística",
        34,
        &["* INFRAESTRUTURA PARTICIPAÇÕES", "* LOGÍSTICA HOLDING"],
    ),
    sector("Têxtil e Vestuário", 100, &["FIAÇÃO E TECELAGEM *", "* TÊXTIL", "MALHARIA *", "* CALÇADOS"]),
    sector("Alimentos", 100, &["* ALIMENTOS", "FRIGORÍFICO *", "MOINHOS *", "LATICÍNIOS *"]),
    sector(
        "Petroquímicos e Borracha",
        80,
        &["* PETROQUÍMICA", "* INDÚSTRIA QUÍMICA", "* FERTILIZANTES", "* RESINAS E POLÍMEROS"],
    ),
    sector("Telecomunicações", 60, &["* TELECOMUNICAÇÕES", "* FIBRA ÓPTICA", "* REDES E CONECTIVIDADE"]),
    sector("Arrendamento Mercantil", 40, &["* LEASING ARRENDAMENTO MERCANTIL", "* ARRENDAMENTO MERCANTIL"]),
    sector("Extração Mineral", 50, &["MINERAÇÃO *", "* MINÉRIOS", "* METAIS BÁSICOS"]),
    sector(
        "Agricultura (Açúcar, Álcool e Cana)",
        48,
        &["USINA *", "* AGROINDUSTRIAL", "* BIOENERGIA", "* AGRÍCOLA"],
    ),
    sector(
        "Comunicação e Informática",
        40,
        &["* TECNOLOGIA", "* SISTEMAS DE INFORMAÇÃO", "* SOFTWARE E SERVIÇOS DIGITAIS"],
    ),
    sector(
        "Saneamento, Serv. Água e Gás",
        36,
        &["COMPANHIA DE SANEAMENTO DE *", "ÁGUAS DE *", "* GÁS CANALIZADO", "* SANEAMENTO AMBIENTAL"],
    ),
    sector("Hospedagem e Turismo", 25, &["HOTÉIS *", "* TURISMO", "* RESORTS"]),
    sector("Bebidas e Fumo", 20, &["CERVEJARIA *", "* BEBIDAS", "VINÍCOLA *"]),
    sector("Farmacêutico e Higiene", 24, &["LABORATÓRIO *", "* FARMACÊUTICA", "* COSMÉTICOS"]),
    sector("Seguradoras e Corretoras", 24, &["* SEGUROS", "* RESSEGUROS", "* PREVIDÊNCIA E SEGUROS"]),
    sector("Petróleo e Gás", 23, &["* PETRÓLEO", "* ÓLEO E GÁS", "* EXPLORAÇÃO E PRODUÇÃO DE PETRÓLEO"]),
    sector("Serviços Médicos", 23, &["HOSPITAL *", "* MEDICINA DIAGNÓSTICA", "* SAÚDE"]),
    sector("Papel e Celulose", 21, &["* CELULOSE", "* PAPÉIS E EMBALAGENS", "CELULOSE E PAPEL *"]),
    sector("Educação", 12, &["* EDUCACIONAL", "* EDUCAÇÃO"]),
    sector("Crédito Imobiliário", 8, &["* CRÉDITO IMOBILIÁRIO", "COMPANHIA HIPOTECÁRIA *"]),
    sector("Reflorestamento", 8, &["* FLORESTAL", "* REFLORESTADORA"]),
];
