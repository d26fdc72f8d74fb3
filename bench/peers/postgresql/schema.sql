-- The filings in PostgreSQL, for search alone: accents folded, Portuguese stems, a stored vector, a GIN index.

CREATE EXTENSION unaccent;
CREATE TEXT SEARCH CONFIGURATION filings (COPY = portuguese);
ALTER TEXT SEARCH CONFIGURATION filings
    ALTER MAPPING FOR hword, hword_part, word WITH unaccent, portuguese_stem;

CREATE TABLE filing (
    id bigint,
    company_id text NOT NULL,
    company_name text NOT NULL,
    category text NOT NULL,
    date text NOT NULL,
    description text NOT NULL,
    type text,
    reference_date text,
    version integer NOT NULL,
    url text NOT NULL,
    -- A slash would join two words: the parser reads `Town/RS` as the name of a file.
    words tsvector GENERATED ALWAYS AS (to_tsvector('public.filings',
        translate(company_name || ' ' || category || ' ' || coalesce(type, '') || ' ' || description, '/', ' '))) STORED
);
