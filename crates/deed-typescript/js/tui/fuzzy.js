// Fuzzy search: the letters of a query in order; lower scores are better.

/** Scores a text: runs and beginnings of words are good, gaps and late matches are not. */
export function fuzzyMatch(query, text) {
  const wanted = query.toLowerCase();
  const given = text.toLowerCase();
  let score = 0;
  let at = -1;
  let run = 0;
  for (const letter of wanted) {
    const next = given.indexOf(letter, at + 1);
    if (next < 0) return { matches: false, score: 0 };
    const starts = next === 0 || /[\s\-_./:]/.test(given[next - 1]);
    run = at >= 0 && next === at + 1 ? run + 1 : 0;
    score += (at >= 0 ? (next - at - 1) * 2 : 0) - run * 5 - (starts ? 10 : 0) + next * 0.1;
    at = next;
  }
  return { matches: true, score };
}

/** Keeps the items that match all words of a query, the best first. */
export function fuzzyFilter(items, query, getText) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...items];
  return items
    .map((item) => ({ item, found: words.map((word) => fuzzyMatch(word, getText(item))) }))
    .filter(({ found }) => found.every(({ matches }) => matches))
    .map(({ item, found }) => ({ item, score: found.reduce((sum, { score }) => sum + score, 0) }))
    .sort((left, right) => left.score - right.score)
    .map(({ item }) => item);
}
