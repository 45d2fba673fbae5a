import { fileURLToPath, format, parse, pathToFileURL, resolve } from "node:url";

const URLS = ["http://a.com", "HTTP://User:p%40ss@Example.COM:80/a/../b/./c?x=1&y=a b#frag ment", "https://a.com:8443/", "http://127.1/", "http://0x7f.1", "http://[::1]:3000/x", "http://[2001:db8:0:0:0:0:0:1]/", "http://[::ffff:1.2.3.4]/", "file:///a/b", "file:///C:/x", "file://host/p", "mailto:a@b.c", "data:text/plain,hello world", "javascript:alert(1)", "http://a.com/%7Efoo/é?ü#ß", "http://a.com//double", "http:\\\\a.com\\b", "ws://x/y", "custom://h/p/../q?z", "custom:opaque path", "http://münchen.de/", "http://日本語.jp", "http://a.com?q", "http://a.com#", "http://a.com/?", "http://a.com/a;b=c,d", "  http://a.com/\n", "http://user@h/", "http://a.com/'\"<>`{}|\\^", "http://a.com/?'\"<>`{}|\\^", "blob:https://a.com/x", "http://EXAMPLE.com./", "ftp://h:21/f"];
for (const text of URLS) {
  const url = new URL(text);
  console.log(JSON.stringify([url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash]));
}
const WRONG = ["", "foo", "//a", "http://", "http://a b/", "http://[::1", "http://a:99999/", "http://a:x/", "http://1.2.3.256", "http://%00/", "http://a<b/", "://x"];
for (const text of WRONG) {
  try {
    console.log("taken", new URL(text).href);
  } catch (error) {
    console.log(text, error.code, error instanceof TypeError, error.message);
  }
}
const BASES = [["x", "http://a.com/b/c"], ["../x", "http://a.com/b/c/d"], ["/x", "http://a.com/b"], ["?q", "http://a.com/b?r#s"], ["#f", "http://a.com/b?r"], ["//o.com/p", "https://a.com"], ["", "http://a.com/b?c#d"], [".", "http://a.com/b/c"], ["..", "http://a.com/b/c/"], ["x:y", "http://a.com"], ["http:x", "http://a.com/b/"], ["g", "file:///a/b"], ["/g", "file:///a/b"], ["#x", "mailto:a@b"], ["a?b#c", "custom://h/p/q"], ["\\x", "http://a.com/b"]];
for (const [text, base] of BASES) console.log(new URL(text, base).href);
console.log(URL.canParse("x"), URL.canParse("x", "http://a"), URL.parse("nope"));

const url = new URL("http://a.com/p?a=1&b=2&a=3");
url.searchParams.append("c", "ä &=+");
url.searchParams.delete("b");
url.hash = "h x";
url.pathname = "/n ew/../p";
url.host = "b.org:81";
url.protocol = "https";
url.username = "me:";
console.log(url.href, url.searchParams.getAll("a"), [...url.searchParams]);
url.port = "443";
url.search = "?z=9";
url.hostname = "c.net";
console.log(url.href, url.searchParams.get("z"), JSON.stringify({ url }));

const params = new URLSearchParams("?b=2&a=1&b=3&e=&=v&x");
params.sort();
console.log(params.toString(), params.size, params.has("b", "3"), params.has("b", "9"), params.get("nope"));
params.set("b", "new");
console.log(String(params), new URLSearchParams({ q: "a b", n: 1 }).toString(), new URLSearchParams([["x", "~!*'()"]]).toString(), new URLSearchParams("a=%zz&b=%E2%82%AC").toString());

console.log(fileURLToPath("file:///a/b%20c%C3%A9"), fileURLToPath(new URL("file:///x")));
console.log(pathToFileURL("/a/b c#d?e%f").href, pathToFileURL("/tmp/é/").href, pathToFileURL("/x[1]~^|").href);
for (const text of ["http://x/y", "file://host/x", "file:///a%2Fb"]) {
  try {
    fileURLToPath(text);
  } catch (error) {
    console.log(error.code);
  }
}
console.log(resolve("/one/two", "three"), resolve("http://a.com/b", "/c"), format(new URL("http://a.com/x")), format({ protocol: "http", host: "h", pathname: "p", query: { a: 1 } }));
const old = parse("http://u:p@h.com:8/p/a?x=y#z");
console.log(old.protocol, old.auth, old.host, old.port, old.hostname, old.hash, old.search, old.query, old.pathname, old.path, old.href);
