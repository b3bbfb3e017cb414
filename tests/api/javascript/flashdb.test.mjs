// flashdb.mjs against the real server at SERVER, and against small ones of its own that answer as a bad day would have it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

const { Flashdb, FlashdbError } = await import(process.env.MODULE);
const SERVER = process.env.SERVER;
const REPORT = JSON.parse(process.env.REPORT);
const [TOSHIBA, PHISON] = ["02544d534130344711c0ffee0000d30f", "27504853443136473000c0ffee00fbdb"];

/** A site whose answers are noted: status and address of each. */
function noting(server = SERVER, options = {}) {
    const answers = [];
    const noted = async (address, request) => {
        const answer = await fetch(address, request);
        answers.push({ status: answer.status, address, headers: request.headers });
        return answer;
    };
    return [new Flashdb(server, { ...options, fetch: noted }), answers];
}

/** A server that gives these answers, one after the other: [status, headers, body]. */
async function server(t, ...answers) {
    const given = answers[Symbol.iterator]();
    const listening = createServer((request, response) => {
        const [status, headers = {}, body = "{}"] = given.next().value ?? [200];
        response.writeHead(status, headers).end(body);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => listening.once("listening", resolve));
    t.after(() => listening.close());
    return `http://127.0.0.1:${listening.address().port}`;
}

async function list(rows) {
    const listed = [];
    for await (const row of rows) listed.push(row);
    return listed;
}

test("it works", async () => {
    const site = new Flashdb(`${SERVER}/`);
    assert.equal((await site.index()).version, "v1");
    assert.equal((await site.model("kingston-4-gb")).name, "Kingston 4 GB");
    assert.deepEqual((await site.search("kingston 4gb", { board: "raspberry-pi-5" })).models.map(({ slug }) => slug), ["kingston-4-gb"]);
    assert.ok((await list(site.rows("boards"))).some(({ slug }) => slug === "raspberry-pi-5"));
});

test("a ranking is read page by page", async () => {
    const [site, answers] = noting();
    const ranked = await list(site.models({ use: "pi-root", limit: 1, board: undefined }));
    assert.deepEqual(ranked.map(({ place }) => place), [1, 1]);
    assert.equal(new Set(ranked.map(({ slug }) => slug)).size, 2);
    assert.equal(answers.length, 2);
    assert.ok(!answers[0].address.includes("board"));
});

test("what has not changed is not sent again", async () => {
    const [site, answers] = noting();
    // Whatever else writes into the same PostgreSQL server makes a page new: ask until nothing did in between.
    for (let again = 0; again < 50 && answers.at(-1)?.status !== 304; again += 1) {
        const model = await site.model("kingston-4-gb");
        assert.equal(model.name, "Kingston 4 GB");
        model.name = "spoiled";
    }
    assert.equal(answers[0].status, 200);
    assert.equal(answers.at(-1).status, 304);
    assert.equal((await site.model("kingston-4-gb")).name, "Kingston 4 GB");
});

test("registers are decoded, one by one and a thousand at once", async () => {
    const [site, answers] = noting();
    assert.equal((await site.decode({ cid: TOSHIBA })).pnm, "SA04G");
    const asked = [...Array(999).fill(TOSHIBA), "nonsense", ` ${PHISON}\n`, { cid: TOSHIBA, serial: true }];
    const lines = await list(site.decodeAll(asked));
    assert.deepEqual(lines.map(({ question }) => question), asked);
    assert.ok(lines[999].error instanceof FlashdbError && lines[999].error.path.includes("cid") && !lines[999].card);
    assert.deepEqual([lines[0].card.pnm, lines[1000].card.pnm, "psn" in lines[1001].card], ["SA04G", "SD16G", true]);
    assert.equal(answers.length, 3);
});

test("a report that is sent twice counts once, and its sender gets the key again", async () => {
    const site = new Flashdb(SERVER);
    const receipt = await site.submit(REPORT);
    assert.ok(receipt.delete_key);
    const again = await site.submit(JSON.stringify(REPORT));
    assert.deepEqual([again.id, again.delete_key], [receipt.id, receipt.delete_key]);
    assert.equal((await new Flashdb(SERVER).submit(REPORT)).delete_key ?? null, null);
});

test("a refusal has a code, a path and a sentence", async () => {
    const site = new Flashdb(SERVER);
    const refused = await site.submit({ ...REPORT, card: { ...REPORT.card, size_bytes: "big" } }).catch((error) => error);
    assert.ok(refused instanceof FlashdbError && refused instanceof Error);
    assert.deepEqual([refused.path, refused.status], ["card.size_bytes", 400]);
    assert.ok(refused.code && refused.sentence.length > 20 && refused.message === refused.sentence);
    await assert.rejects(list(site.models({ bord: "raspberry-pi-5" })), { code: "unknown_parameter", status: 400 });
    await assert.rejects(site.model("../../secret"), { status: 404 });
});

test("limits of the server are waited for", async () => {
    const [site, answers] = noting(SERVER, { attempts: 20 }); // they all come back at the same moment
    const looks = Array.from({ length: Number(process.env.LOOKS) }, () => site.decode({ cid: TOSHIBA }));
    await Promise.all(looks); // at once: one by one, a slow machine never meets a limit
    assert.ok(answers.some(({ status }) => status === 429));
});

test("what fails in passing is tried again, when the server says so", async (t) => {
    const past = new Date(Date.now() - 5000).toUTCString();
    const busy = await server(t, [503, { "Retry-After": "0" }], [429, { "Retry-After": past }], [200, {}, '{"version": "v1"}']);
    assert.equal((await new Flashdb(busy).index()).version, "v1");
    const later = [503, { "Retry-After": "0" }, '{"error": {"code": "busy", "detail": "Later.", "field": ""}}'];
    const broken = await server(t, later, later, later);
    await assert.rejects(new Flashdb(broken, { attempts: 3 }).index(), { code: "busy", status: 503 });
    const wrong = await server(t, [400, {}, '{"error": {"code": "wrong", "detail": "No.", "field": ""}}']);
    await assert.rejects(new Flashdb(wrong).index(), { code: "wrong" });
});

test("an hour is not waited for", async (t) => {
    const busy = await server(t, [429, { "Retry-After": "3600" }]);
    await assert.rejects(new Flashdb(busy).index(), { status: 429, retryAfterS: 3600 });
});

test("a signal ends a request and a pause", async (t) => {
    const site = new Flashdb(await server(t, [503, { "Retry-After": "30" }]));
    await assert.rejects(site.index({ signal: AbortSignal.abort() }), { name: "AbortError" });
    await assert.rejects(site.index({ signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
});

test("another server, or none, is said in a sentence", async (t) => {
    const page = await server(t, [200, {}, "<html>"], [404, {}, "<html>"]);
    await assert.rejects(new Flashdb(page).index(), { code: "no_answer", status: 200 });
    await assert.rejects(new Flashdb(page).index(), { code: "no_answer", status: 404 });
    await assert.rejects(new Flashdb("http://127.0.0.1:9", { attempts: 1 }).index(), { code: "not_reached", status: 0 });
    assert.throws(() => new Flashdb("flashdb.example"), { code: "usage" });
});

test("a token stays with its server, whatever a list says", async (t) => {
    const next = "https://elsewhere.example/api/v1/runs/?cursor=x";
    const pages = [{ results: [1], next }, { results: [2], next: null }];
    const own = await server(t, ...pages.map((page) => [200, {}, JSON.stringify(page)]));
    const [site, answers] = noting(own, { token: "t0" });
    assert.deepEqual(await list(site.rows("runs")), [1, 2]);
    assert.equal(answers[1].address, `${own}/api/v1/runs/?cursor=x`);
    assert.ok(answers.every(({ headers }) => headers.Authorization === "Token t0"));
});
