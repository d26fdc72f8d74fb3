//! Subjects in the style of real companies. A word in braces is a placeholder that `placeholders` fills.

type Subjects = &'static [&'static str];

pub(super) const ANNUAL_ASSEMBLY: Subjects = &[
    "{papel} - Assembleia Geral Ordinária de {data}",
    "{papel} - AGO referente ao exercício social encerrado em 31/12/{exercicio}",
    "{papel} - AGO {ano}: contas dos administradores, destinação do lucro e eleição de membros do {orgao}",
    "{papel} - Fixação da remuneração global dos administradores para o exercício de {ano}",
    "{papel} - Eleição de {pessoa} como membro do {orgao}",
    "{papel} - Instalação do Conselho Fiscal e aumento de capital por incorporação de reservas",
];

pub(super) const COMBINED_ASSEMBLY: Subjects = &[
    "{papel} - Assembleia Geral Ordinária e Extraordinária de {data}",
    "{papel} - AGOE {ano}: destinação do resultado de {exercicio} e reforma do Estatuto Social",
    "{papel} - AGOE {ano}: eleição de {pessoa} para o {orgao} e aumento do capital para {valor}",
    "{papel} - AGOE {ano}: contas de {exercicio} e incorporação da {palavra} {ramo} S.A.",
];

pub(super) const SPECIAL_ASSEMBLY: Subjects = &[
    "{papel} - Assembleia Geral Extraordinária de {data}",
    "{papel} - Protocolo e Justificação de Incorporação da {palavra} {ramo} Ltda.",
    "{papel} - Aumento do capital social no valor de {valor}, mediante emissão de novas ações",
    "{papel} - Grupamento de ações na proporção de {lote} para 1",
    "{papel} - Desdobramento de ações na proporção de 1 para {lote}",
    "{papel} - Reforma e consolidação do Estatuto Social",
    "{papel} - Alteração da sede social para {lugar}",
    "{papel} - Plano de Opção de Compra de Ações {ano}",
    "{papel} - Cisão parcial com versão do acervo à {palavra} {ramo} S.A.",
    "{papel} - Ratificação da aquisição de {ativo} em {lugar}",
    "{papel} - Redução do capital social em {valor}, por excessivo em relação ao objeto social",
];

pub(super) const BONDHOLDERS_ASSEMBLY: Subjects = &[
    "{papel} - Assembleia Geral de Debenturistas da {emissao} emissão, {serie}",
    "{papel} - AGD da {emissao} emissão: anuência prévia para {tema}",
    "{papel} - Waiver do índice financeiro da {emissao} emissão de debêntures",
    "{papel} - Substituição do agente fiduciário da {emissao} emissão pela {agente}",
    "{papel} - AGD da {emissao} emissão: repactuação da remuneração e prorrogação do vencimento para {prazo}",
];

pub(super) const MARKET_NOTICE: Subjects = &[
    "{palavra} Ratings atribui nota {nota} à {emissao} emissão de debêntures",
    "{palavra} Ratings reafirma nota {nota} da Companhia, com perspectiva {perspectiva}",
    "Assinatura de contrato para fornecimento a {ativo} em {lugar}",
    "Início das operações de {ativo} em {lugar}",
    "Projeto {palavra}: avanço físico de {percentual} das obras",
    "Projeto {palavra}: obtenção da licença de instalação em {lugar}",
    "Projeto {palavra}: conclusão do financiamento de {valor}",
    "Renúncia de {pessoa} ao cargo de membro do {orgao}",
    "Alteração na {area}",
    "Contratação de formador de mercado: {palavra} Corretora de Valores",
    "Encerramento do contrato de formador de mercado com a {palavra} Corretora de Valores",
    "Mudança de auditores independentes para {palavra} Auditores",
    "Prévia operacional do {trimestre}",
    "Destaques operacionais de {mes}",
    "Inauguração de {ativo} em {lugar}",
    "Paralisação programada de {ativo} em {lugar}",
    "Retomada das atividades em {lugar}",
    "Convocação de teleconferência sobre os resultados do {trimestre}",
    "Adesão à carteira do índice de sustentabilidade para {ano}",
    "Decisão no processo administrativo nº {processo}",
    "Parceria comercial com a {palavra} {ramo}",
    "Ocorrência em {ativo} em {lugar}",
    "Liberação de recursos do banco de fomento no valor de {valor}",
    "Alteração do endereço do departamento de relações com investidores para {lugar}",
    "Emissão de títulos verdes pela controlada {palavra} {ramo}",
];

pub(super) const PRESENTATION: Subjects = &[
    "Apresentação de Resultados {trimestre}",
    "Apresentação Institucional - {mes}",
    "Apresentação {palavra} Day {ano}",
    "Apresentação da reunião pública com investidores em {lugar}",
    "Apresentação da teleconferência sobre a aquisição da {palavra} {ramo}",
    "Transcrição da teleconferência de resultados do {trimestre}",
];

pub(super) const STAKE: Subjects = &[
    "Aquisição de participação relevante: {palavra} Gestão de Recursos atinge {percentual} das ações ordinárias",
    "Alienação de participação relevante: {fundo} reduz posição para {percentual} das ações",
    "Participação acionária de {pessoa}: {percentual} do capital social",
    "Declaração do {fundo} - participação de {percentual} nas ações preferenciais",
    "Aumento de participação relevante - {palavra} Capital Partners",
];

pub(super) const CLARIFICATION: Subjects = &[
    "Esclarecimentos sobre notícia veiculada na mídia em {data}",
    "Esclarecimento sobre oscilação atípica das ações ocorrida em {data}",
    "Resposta ao Ofício nº {numero}/{ano} - notícia sobre {tema}",
    "Resposta ao Ofício nº {numero}/{ano} - aquisição da {palavra} {ramo}",
    "Esclarecimentos sobre a venda de {ativo} em {lugar}",
    "Esclarecimentos sobre o processo nº {processo}",
];

pub(super) const FORECAST: Subjects = &[
    "Projeções {ano}",
    "Revisão das projeções de investimento para {ano}: {valor}",
    "Descontinuidade das projeções divulgadas em {data}",
    "Projeção de capacidade instalada do Projeto {palavra}",
];

pub(super) const BOARD_MEETING: Subjects = &[
    "Ata da Reunião do Conselho de Administração realizada em {data}",
    "RCA nº {numero} - {tema}",
    "RCA nº {numero} - {tema}; abertura de filial em {lugar}",
    "Aprovação da {emissao} emissão de debêntures simples, não conversíveis em ações, no valor de {valor}",
    "Eleição de {pessoa} para a {area}",
    "Aprovação das informações trimestrais do {trimestre}",
    "Aprovação do Programa de Recompra de Ações {ano}",
    "Outorga de garantia em favor da controlada {palavra} {ramo} S.A.",
    "Constituição de subsidiária integral em {lugar}",
    "Autorização de investimento em {ativo} - Projeto {palavra}",
    "Aprovação de juros sobre o capital próprio no montante de {valor}",
    "Contratação de financiamento com o Banco {palavra} no valor de {valor}",
];

pub(super) const OFFICERS_MEETING: Subjects = &[
    "Ata da Reunião da Diretoria realizada em {data}",
    "Abertura de filial em {lugar}",
    "Encerramento da filial de {lugar}",
    "Reunião da Diretoria nº {numero} - {tema}",
    "Emissão de notas comerciais no valor de {valor}",
];

pub(super) const AUDIT_MEETING: Subjects = &[
    "Parecer sobre as demonstrações financeiras de {exercicio}",
    "Exame das informações trimestrais do {trimestre}",
    "Reunião nº {numero} - Acompanhamento da auditoria independente",
    "Ata da reunião realizada em {data} - {tema}",
];

pub(super) const RESULTS: Subjects = &[
    "Divulgação de Resultados {trimestre}",
    "Release de Resultados do {trimestre}",
    "Earnings Release {trimestre}",
    "Resultados do {trimestre}: receita líquida de {valor}",
    "Press-release {trimestre}: EBITDA ajustado cresce {percentual}",
    "Planilha de fundamentos {trimestre}",
];

pub(super) const INTERIM_ACCOUNTS: Subjects = &[
    "Informações Trimestrais {trimestre}",
    "Informações contábeis intermediárias em {data} e relatório de revisão da {palavra} Auditores",
    "Balancete patrimonial da controlada {palavra} {ramo} S.A. em {data}",
];

pub(super) const ANNUAL_ACCOUNTS: Subjects = &[
    "Demonstrações Financeiras de 31 de dezembro de {exercicio}",
    "Demonstrações Financeiras Consolidadas {exercicio} e parecer da {palavra} Auditores",
    "Relatório da Administração e Demonstrações Financeiras {exercicio}",
    "Demonstrações Financeiras da controlada {palavra} {ramo} S.A. - {exercicio}",
];

pub(super) const TRUSTEE_REPORT: Subjects = &[
    "Relatório Anual do Agente Fiduciário {exercicio} - {emissao} emissão de debêntures",
    "Relatório do Agente Fiduciário - {agente} - exercício de {exercicio}",
    "Relatório Anual {exercicio} - CRI {emissao} emissão, {serie}",
    "Relatório Anual {exercicio} - CRA {emissao} emissão, {serie}",
];

pub(super) const MATERIAL_FACT: Subjects = &[
    "Aquisição de {ativo} em {lugar}",
    "Alienação de {ativo} em {lugar} por {valor}",
    "Aquisição de {percentual} do capital social da {palavra} {ramo} S.A.",
    "Celebração de contrato de compra e venda com a {palavra} {ramo} S.A.",
    "Memorando de entendimentos não vinculante com a {palavra} {ramo}",
    "Aumento de capital privado no valor de {valor}",
    "Aprovação da {emissao} emissão de debêntures no valor de {valor}",
    "Conclusão da venda de participação na {palavra} {ramo} S.A.",
    "Distribuição de dividendos intermediários no montante de {valor}",
    "Projeções para {ano}",
    "Pedido de recuperação judicial da controlada {palavra} {ramo} S.A.",
    "Homologação do plano de recuperação judicial - processo nº {processo}",
    "Decisão judicial favorável no processo nº {processo}",
    "Programa de recompra de ações: aquisição de até {percentual} das ações em circulação",
    "Eleição de {pessoa} para a {area}",
    "Renúncia de {pessoa} à {area}",
    "Oferta pública de aquisição de ações para cancelamento de registro",
    "Reorganização societária: incorporação da {palavra} {ramo} S.A.",
    "Resultado do Leilão nº {numero}/{ano}: concessão em {lugar}",
    "Projeto {palavra}: decisão final de investimento de {valor}",
    "Projeto {palavra}: descoberta em {lugar}",
    "Joint venture \"{palavra}\" com o {fundo}",
    "Acordo de leniência e encerramento do processo nº {processo}",
    "Repactuação de dívidas com credores financeiros no total de {valor}",
];

pub(super) const DEED: Subjects = &[
    "Escritura da {emissao} emissão de debêntures simples, não conversíveis em ações, em {series}",
    "Instrumento particular de escritura da {emissao} emissão - agente fiduciário {agente}",
    "Escritura da {emissao} emissão de debêntures incentivadas - Projeto {palavra}",
    "Contrato de cessão fiduciária em garantia da {emissao} emissão",
];

pub(super) const DEED_AMENDMENT: Subjects = &[
    "{ordem} Aditamento à Escritura da {emissao} emissão de debêntures",
    "{ordem} Aditamento à Escritura da {emissao} emissão - resultado do procedimento de bookbuilding",
    "{ordem} Aditamento: inclusão de garantia sobre {ativo} em {lugar}",
    "{ordem} Aditamento ao contrato de alienação fiduciária das ações da {palavra} {ramo} S.A.",
];

pub(super) const DIVIDENDS: Subjects = &[
    "Pagamento de dividendos no valor de {por_acao}",
    "Dividendos complementares de {exercicio} - pagamento em {prazo}",
    "Distribuição de dividendos intercalares do {trimestre}",
    "Dividendos aprovados na AGO: {valor}, com pagamento em {prazo}",
];

pub(super) const INTEREST_ON_EQUITY: Subjects = &[
    "Juros sobre o Capital Próprio - {por_acao}",
    "Pagamento de JCP em {prazo}",
    "Crédito de juros sobre o capital próprio referente ao {trimestre}",
];

pub(super) const SHAREHOLDERS_NOTICE: Subjects = &[
    "Exercício do direito de preferência até {prazo}",
    "Leilão de frações de ações resultantes do grupamento",
    "Bonificação em ações à razão de {percentual}",
    "Pedido público de procuração para a assembleia de {prazo}",
    "Aumento de capital - encerramento do prazo para subscrição de sobras",
    "Alteração da instituição escrituradora para a {palavra} Corretora de Valores",
    "Procedimento de voto múltiplo requerido por acionistas titulares de {percentual} do capital",
];

pub(super) const BONDHOLDERS_NOTICE: Subjects = &[
    "Resgate antecipado facultativo da {emissao} emissão de debêntures em {prazo}",
    "Amortização extraordinária da {emissao} emissão, {serie}",
    "Pagamento de juros da {emissao} emissão em {prazo}",
    "Oferta de resgate antecipado da {emissao} emissão",
];

pub(super) const OFFER_PAPERS: Subjects = &[
    "Oferta pública de distribuição da {emissao} emissão de debêntures no valor de {valor}",
    "Oferta pública de CRI da {emissao} emissão, em {series}, lastreados em créditos devidos pela {palavra} {ramo}",
    "Oferta pública de CRA da {emissao} emissão, em {series} - devedora {palavra} Agropecuária",
    "Oferta pública primária de ações ordinárias no montante de {valor}",
    "Oferta de notas comerciais coordenada pelo Banco {palavra}",
];

pub(super) const BYLAWS: Subjects = &[
    "Estatuto Social consolidado em {data}",
    "Estatuto Social aprovado na AGE de {data}",
    "Estatuto Social com alteração do capital social para {valor}",
];

pub(super) const SHAREHOLDERS_AGREEMENT: Subjects = &[
    "Acordo de Acionistas celebrado com o {fundo}",
    "{ordem} Aditivo ao Acordo de Acionistas de {data}",
    "Rescisão do Acordo de Acionistas com {pessoa}",
];

pub(super) const SUSTAINABILITY: Subjects = &[
    "Relatório de Sustentabilidade {exercicio}",
    "Relato Integrado {exercicio}",
    "Inventário de emissões de gases de efeito estufa {exercicio}",
    "Relatório anual {exercicio} - programa socioambiental de {lugar}",
];

pub(super) const RELATED_PARTIES: Subjects = &[
    "Contrato de mútuo com a controlada {palavra} {ramo} S.A. no valor de {valor}",
    "Contrato de prestação de serviços com a {palavra} {ramo} Ltda.",
    "Contrato de locação de imóvel em {lugar} com parte relacionada",
    "Garantia prestada à coligada {palavra} {ramo} S.A.",
];

pub(super) const CONDUCT: Subjects =
    &["Código de Ética e Conduta - versão {ano}", "Código de Conduta de Fornecedores aprovado em {data}"];

pub(super) const INDEMNITY: Subjects = &[
    "Contrato de indenidade celebrado com {pessoa}",
    "Modelo de contrato de indenidade aprovado pelo Conselho de Administração em {data}",
];
