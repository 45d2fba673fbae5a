SELECT count(*), max(a), coalesce(b, 'x') FROM t GROUP BY b HAVING count(*) > 1 ORDER BY 1 DESC LIMIT 5 OFFSET 2
SELECT a FROM t JOIN u USING (id) LEFT JOIN v ON v.id = u.id WHERE a LIKE '%x' AND b IN (1, 2) OR c IS NOT NULL
SELECT CASE WHEN a > 1 THEN 'x' ELSE upper(b) END AS c FROM t WHERE EXISTS (SELECT 1 FROM u)
SELECT DISTINCT lower(a), round(avg(b), 2) FROM t
SELECT a, rank() OVER (PARTITION BY b ORDER BY c) FROM t;
WITH x AS (SELECT 1 AS a UNION ALL SELECT 2) SELECT * FROM x EXCEPT SELECT 3
SELECT CAST(a AS INTEGER), substr(b, 1, 3) || 'x' FROM "Some Table" WHERE d BETWEEN '2020-01-01' AND '2021-01-01'
SELECT strftime('%Y', d), json_extract(a, '$.x'), a ->> 'y', group_concat(b) FROM t
SELECT sql FROM sqlite_master WHERE type = 'table'
SELECT * FROM json_each('[1]')
SELECT [a b], `c` FROM t WHERE a GLOB 'x*'
PRAGMA table_list
PRAGMA index_list('t')
SELECT * FROM t INDEXED BY i WHERE a = 1
SELECT * FROM t NOT INDEXED
SELECT CAST(a AS TEXT), printf('%d', a), typeof(a) FROM t
SELECT * FROM t, json_each(t.x) AS e WHERE e.value = 1
SELECT * FROM t LIMIT 5, 10
SELECT * FROM t ORDER BY a COLLATE NOCASE DESC NULLS LAST
SELECT * FROM t WHERE a LIKE 'x' ESCAPE '\'
SELECT date('now','-1 day'), strftime('%s','now'), julianday('now')
SELECT x'AB', 1e3, 0x1F, .5, 1_000
SELECT * FROM a RIGHT JOIN b USING (id) FULL OUTER JOIN c ON c.id = a.id
SELECT sum(a) FILTER (WHERE b > 1) FROM t
SELECT * FROM a NATURAL JOIN b
SELECT name, sql FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite_%'
SELECT group_concat(a, ', ') FROM t
SELECT a -> '$.x', a ->> 'y' FROM t
SELECT highlight(ft, 0, '<b>', '</b>'), bm25(ft) FROM ft WHERE ft MATCH 'hello*' ORDER BY rank
SELECT iif(a > 1, 'x', 'y'), ifnull(a, 0), max(a, b), min(a) FROM t
WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<10) SELECT x FROM c
SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t
SELECT * FROM (SELECT 1 AS a) WHERE a IN (1,2) GROUP BY a HAVING count(*) > 0
SELECT total(a), count(DISTINCT b), avg(c) FROM t
SELECT a, b FROM t WHERE (a, b) = (1, 2)
VALUES (1,2),(3,4)
SELECT 'it''s' || "col" FROM "table"
SELECT * FROM main.t
SELECT a % 2, a / 2, a << 1, ~a, a & 1, a | 2, NOT a FROM t
SELECT CASE WHEN a THEN b ELSE c END FROM t
EXPLAIN SELECT 1
SELECT rowid, oid, _rowid_ FROM t
SELECT * FROM t WHERE a GLOB '*x*'
SELECT EXISTS(SELECT 1 FROM t WHERE a = 1)
SELECT a FROM t WHERE b BETWEEN 1 AND 2 EXCEPT SELECT a FROM u INTERSECT SELECT 3
SELECT last_insert_rowid(), changes(), sqlite_version()
SELECT * FROM t WHERE a IS NOT DISTINCT FROM NULL
SELECT count(*) FROM t WHERE d >= date('now', 'start of month')
select replace(x,'a','b'), "left", [order], `group` from t
SELECT current_timestamp
