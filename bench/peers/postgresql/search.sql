SELECT count(*) FROM filing WHERE words @@ plainto_tsquery('filings', :q);
SELECT id::text, company_id, company_name, category, date, description, type, reference_date, version, url
    FROM filing, plainto_tsquery('filings', :q) AS asked
    WHERE words @@ asked ORDER BY ts_rank(words, asked) DESC, date DESC, id DESC LIMIT 20;
