SELECT count(*), max(a), coalesce(b, 'x') FROM t GROUP BY b HAVING count(*) > 1 ORDER BY 1 DESC LIMIT 5 OFFSET 2
SELECT a FROM t JOIN u USING (id) LEFT JOIN v ON v.id = u.id WHERE a LIKE '%x' AND b IN (1, 2) OR c IS NOT NULL
SELECT CASE WHEN a > 1 THEN 'x' ELSE upper(b) END AS c FROM t WHERE EXISTS (SELECT 1 FROM u)
SELECT DISTINCT lower(a), round(avg(b), 2) FROM t
SELECT a, rank() OVER (PARTITION BY b ORDER BY c) FROM t;
WITH x AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT * FROM x EXCEPT SELECT 3
SELECT CAST(a AS INTEGER), substr(b, 1, 3) || 'x' FROM "Some Table" WHERE d BETWEEN '2020-01-01' AND '2021-01-01'
SELECT date_trunc('day', now()), to_char(x, 'YYYY'), extract(year from x), x AT TIME ZONE 'UTC', interval '1 day' FROM t
SELECT * FROM pg_stat_activity
SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
SELECT string_agg(a, ',' ORDER BY a), array_agg(b), jsonb_build_object('a', 1) FROM t
SELECT pg_size_pretty(pg_total_relation_size('t')), version(), current_user
SHOW server_version
SELECT a FROM t WHERE b = ANY(ARRAY[1,2]) AND c @> '{"a":1}'
SELECT * FROM unnest(ARRAY[1,2]) AS x(y), LATERAL (SELECT 1) z
SELECT * FROM t FETCH FIRST 5 ROWS ONLY
SELECT a, sum(b) FROM t GROUP BY GROUPING SETS ((a), ())
SELECT a, sum(b) FROM t GROUP BY ROLLUP(a)
SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC
SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SELECT * FROM t WHERE a ILIKE '%x%' AND b SIMILAR TO '(a|b)%' AND c IS DISTINCT FROM 1
SELECT * FROM (VALUES (1,'a'),(2,'b')) AS v(id, name)
SELECT * FROM generate_series('2020-01-01'::date, '2020-02-01'::date, '1 day'::interval) d
SELECT EXTRACT(EPOCH FROM now() - created_at) / 3600 FROM t
SELECT extract('year' from created_at) FROM t
SELECT j #>> '{a,b}', j -> 'a' -> 0, j ? 'k', j ?| array['a'], j @> '{}' FROM t
SELECT jsonb_path_query(j, '$.a[*] ? (@ > 1)') FROM t
SELECT ARRAY(SELECT id FROM t)
SELECT a[1], a[1:2] FROM t
SELECT TIMESTAMP WITH TIME ZONE '2020-01-01', TIMESTAMPTZ '2020-01-01', INTERVAL '1' DAY
SELECT POSITION('a' IN b), OVERLAY(b PLACING 'x' FROM 1 FOR 2), SUBSTRING(b FROM 1 FOR 2), SUBSTRING(b FROM '[0-9]+'), TRIM(BOTH ' ' FROM b) FROM t
SELECT CAST(x AS numeric(10,2)), x::double precision, x::timestamp with time zone, x::character varying(10), x::bigint FROM t
WITH x AS MATERIALIZED (SELECT 1) SELECT * FROM x
SELECT * FROM t ORDER BY a DESC NULLS LAST
SELECT * FROM t ORDER BY a COLLATE "C"
SELECT * FROM t CROSS JOIN LATERAL jsonb_array_elements(t.j) AS e(v)
SELECT * FROM t, jsonb_to_recordset(j) AS x(a int, b text)
SELECT * FROM t WHERE id = ANY('{1,2}'::int[])
EXPLAIN (FORMAT JSON) SELECT * FROM t
EXPLAIN VERBOSE SELECT 1
SELECT pg_typeof(1), format('%s', 1), md5('x'), to_tsvector('a') @@ to_tsquery('a')
SELECT ROW(1,2) = ROW(1,2), (1,2) < (3,4)
SELECT * FROM unnest(ARRAY[1,2]) WITH ORDINALITY AS x(v, i)
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t
SELECT count(*) FILTER (WHERE a > 1) FROM t
SELECT relname, pg_size_pretty(pg_relation_size(oid)) FROM pg_class WHERE relkind = 'r'
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 't'
SELECT schemaname || '.' || tablename FROM pg_tables
SELECT nspname FROM pg_catalog.pg_namespace
SELECT * FROM t LIMIT ALL
SELECT * FROM ONLY t
SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 3
SELECT * FROM a NATURAL JOIN b FULL OUTER JOIN c USING (id)
SELECT date_part('year', now()), age(now()), now()::date - 7
SELECT CASE a WHEN 1 THEN 'x' END, NOT b, -c, +d, ~e, |/4, @ -5, 2 ^ 3, 5 % 2, 1 << 2, a # b FROM t
SELECT a IS TRUE, a IS NOT NULL, a BETWEEN 1 AND 2, a NOT IN (1), a LIKE 'x\_y' ESCAPE '\' FROM t
SELECT string_agg(DISTINCT a, ',' ORDER BY a) FROM t
SELECT width_bucket(a, 0, 10, 5), trunc(a, 2), mod(a, 2), power(2, 3) FROM t
SELECT a ~ '^x', a !~* 'y' FROM t
SELECT * FROM t WHERE (a, b) IN (SELECT 1, 2)
SELECT current_date, localtime, current_timestamp(0), session_user
SELECT x.y.z FROM x.y
SHOW search_path
SHOW ALL
SELECT coalesce(nullif(a,''), 'x'), greatest(1,2) FROM t
SELECT * FROM pg_stat_user_tables ORDER BY n_live_tup DESC
SELECT 1 AS select
SELECT to_json(t), row_to_json(t.*) FROM t
SELECT json_agg(t) FROM (SELECT * FROM t LIMIT 5) t
SELECT encode(b, 'hex'), decode('ff', 'hex'), '\xff'::bytea FROM t
SELECT regexp_replace(a, '[^0-9]', '', 'g'), split_part(a, ',', 1) FROM t
SELECT lag(a, 1, 0) OVER (ORDER BY b) FROM t
SELECT t1.*, t2.a "Weird Name" FROM t t1 LEFT JOIN LATERAL (SELECT a FROM u WHERE u.id = t1.id LIMIT 1) t2 ON true
SELECT B'101', X'1F', E'\n', N'x', U&'\0041'
SELECT grouping(a) FROM t GROUP BY CUBE (a, b)
