/**
 * The API of a flashdb server, for browsers and for node 18 or later. It needs nothing else.
 *
 *     import { Flashdb } from "https://YOUR-SERVER/static/api/flashdb.mjs";
 *
 *     const site = new Flashdb("https://YOUR-SERVER");
 *     for await (const row of site.models({ board: "raspberry-pi-5", capacity_gb_max: 64 }))
 *         console.log(row.place, row.name, row.leading.value, row.leading.unit);
 *
 * Lists are read page by page while one iterates. What fails in passing is tried again, and a report counts once,
 * however often it is sent. What has not changed since it was asked for is not sent again. Every call takes an
 * AbortSignal.
 *
 * @typedef {Record<string, any>} Row  as /api/reference/ describes it
 * @typedef {{signal?: AbortSignal}} Options
 * @typedef {{question: string | Row, card?: Row, error?: FlashdbError}} DecodedLine
 */

const ROOM = "/api/v1/";
const MOST_LINES = 1000; // of a batch
const MOST_KEPT = 200; // answers
const PASSING = [429, 502, 503, 504];
const random = /** @type {Crypto} */ (globalThis.crypto ?? (await import("node:crypto")).webcrypto); // node 18

/** What went wrong, in the server's own words. */
export class FlashdbError extends Error {
    /**
     * @param {{code: string, detail: string, field?: string}} refusal
     * @param {number} [status] of HTTP; 0 where there was no answer
     * @param {number} [retryAfterS] seconds after which it is worth another attempt, where the server said so
     */
    constructor({ code, detail, field = "" }, status = 0, retryAfterS = undefined) {
        super(detail);
        this.name = "FlashdbError";
        this.code = code; // stable word for programs
        this.path = field; // where in what was sent, such as card.registers.cid; or empty
        this.sentence = detail; // for people
        this.status = status;
        this.retryAfterS = retryAfterS;
    }
}

/** One server, and who is asking. */
export class Flashdb {
    #server;
    #options;
    #secret = hexadecimal(random.getRandomValues(new Uint8Array(32)));
    /** @type {Map<string, {etag: string, text: string}>} */
    #kept = new Map();

    /**
     * @param {string} [server] its address; without it the one that this file came from
     * @param {{token?: string, attempts?: number, patienceS?: number, fetch?: typeof globalThis.fetch}} [options]
     *   `token` of an account; `attempts` at most for each request; `patienceS`: no longer pause is waited for
     */
    constructor(server = new URL(import.meta.url).origin, options = {}) {
        if (!/^https?:\/\//.test(server))
            throw new FlashdbError({ code: "usage", detail: `“${server}” is no address; it begins with https://.` });
        this.#server = server.replace(/\/+$/, "");
        this.#options = { token: "", attempts: 5, patienceS: 60, fetch: globalThis.fetch, ...options };
    }

    /** Every address of the API, and its limits. @param {Options} [options] @returns {Promise<Row>} */
    index(options) {
        return this.#get(ROOM, options);
    }

    /**
     * What a text asks for, and the models that answer it.
     * @param {string} text as people type it
     * @param {{board?: string, use?: string}} [filters]
     * @param {Options} [options]
     * @returns {Promise<Row>}
     */
    search(text, filters, options) {
        return this.#get(`${ROOM}search/${query({ q: text, ...filters })}`, options);
    }

    /**
     * Models for a use on a board, best first, however many there are.
     * @param {Row} [filters] as GET /api/v1/models/ takes them: board, use, capacity_gb_max, …
     * @param {Options} [options]
     * @returns {AsyncGenerator<Row>}
     */
    models(filters, options) {
        return this.rows("models", filters, options);
    }

    /** @param {string} slug @param {Options} [options] @returns {Promise<Row>} */
    model(slug, options) {
        return this.#get(`${ROOM}models/${encodeURIComponent(slug)}/`, options);
    }

    /**
     * Every row of a list: models, cards, runs, measurements, makers, boards, uses, quirks, dumps, …
     * @param {string} name
     * @param {Row} [filters]
     * @param {Options} [options]
     * @returns {AsyncGenerator<Row>}
     */
    async *rows(name, filters, options) {
        let path = `${ROOM}${name}/${query(filters)}`;
        while (path) {
            const page = await this.#get(path, options);
            yield* page.results;
            const next = page.next && new URL(page.next);
            path = next ? next.pathname + next.search : ""; // on this server, whatever a proxy makes of its name
        }
    }

    /**
     * What registers tell. Nothing is stored.
     * @param {Row} registers in hexadecimal: cid, csd, scr, ssr, ocr, ext_csd; and bus: SD or MMC
     * @param {Options} [options]
     * @returns {Promise<Row>}
     */
    decode(registers, options) {
        return this.#post("decode/", JSON.stringify(registers), options);
    }

    /**
     * The same for any number, a thousand in a request: for each, in order, the card or why it was refused.
     * @param {Iterable<string | Row>} questions CIDs in hexadecimal, or what `decode` takes
     * @param {Options} [options]
     * @returns {AsyncGenerator<DecodedLine>}
     */
    async *decodeAll(questions, options) {
        const all = [...questions];
        for (let start = 0; start < all.length; start += MOST_LINES) {
            const asked = all.slice(start, start + MOST_LINES);
            const body = asked.map((one) => (typeof one === "string" ? oneLine(one) : JSON.stringify(one))).join("\n");
            const { results } = await this.#post("decode/batch/", body, options, { "Content-Type": "text/plain" });
            for (const { line, card, error } of results) {
                const question = asked[line - 1];
                yield error ? { question, error: new FlashdbError(error) } : { question, card };
            }
        }
    }

    /**
     * Hands in a report, as REPORT.md describes it. Keep the receipt: its delete key takes everything back.
     * In a page of another site this needs a token.
     * @param {string | Row} report
     * @param {Options} [options]
     * @returns {Promise<Row>} the receipt
     */
    submit(report, options) {
        const body = typeof report === "string" ? report : JSON.stringify(report);
        return this.#post("submissions/", body, options, { "Receipt-Secret": this.#secret });
    }

    /** @param {string} path @param {Options} [options] @returns {Promise<Row>} */
    async #get(path, options) {
        const kept = this.#kept.get(path);
        const answer = await this.#ask(path, { headers: kept ? { "If-None-Match": kept.etag } : {} }, options);
        if (answer.status === 304 && kept) return JSON.parse(kept.text);
        const text = await answer.text();
        const document = this.#document(text, answer);
        const etag = answer.headers.get("ETag");
        if (etag) this.#kept.set(path, { etag, text });
        if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value);
        return document;
    }

    async #post(name, body, options, headers = {}) {
        const request = { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } };
        const answer = await this.#ask(ROOM + name, request, options);
        return this.#document(await answer.text(), answer);
    }

    #document(text, answer) {
        const document = parsed(text, answer);
        if (document.error) throw new FlashdbError(document.error, answer.status);
        return document;
    }

    /**
     * An answer that is no refusal. Pauses grow, or are as long as the server says.
     * @param {string} path @param {Row} request @param {Options} [options] @returns {Promise<Response>}
     */
    async #ask(path, request, { signal } = {}) {
        const { token, attempts, patienceS } = this.#options;
        const headers = { Accept: "application/json", ...request.headers };
        if (token) headers.Authorization = `Token ${token}`;
        for (let attempt = 1, pauseS = 1; ; attempt++, pauseS *= 2) {
            const answer = await this.#once(path, { ...request, headers, signal });
            if (!(answer instanceof FlashdbError)) return answer;
            const passes = answer.status === 0 || PASSING.includes(answer.status);
            const waitS = answer.retryAfterS ?? pauseS;
            if (!passes || attempt >= attempts || waitS > patienceS) throw answer;
            await pause(waitS, signal);
        }
    }

    async #once(path, request) {
        const { fetch } = this.#options;
        let answer;
        try {
            answer = await fetch(this.#server + path, request);
        } catch (error) {
            request.signal?.throwIfAborted();
            const detail = `${this.#server} cannot be reached: ${error.message}.`;
            return new FlashdbError({ code: "not_reached", detail });
        }
        if (answer.ok || answer.status === 304) return answer;
        const error = parsed(await answer.text(), answer).error ?? unknown(answer);
        return new FlashdbError(error, answer.status, secondsUntil(answer.headers.get("Retry-After")));
    }
}

/** The document of an answer; for what is no JSON, as from another server, the refusal that it amounts to. */
function parsed(text, answer) {
    try {
        return JSON.parse(text);
    } catch {
        return { error: unknown(answer) };
    }
}

const unknown = (answer) => ({
    code: "no_answer",
    detail: `${answer.url} answered ${answer.status}, but not as a flashdb server does. Is it one?`,
});

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const oneLine = (text) => text.trim().replace(/\s+/g, " ");

/** Filters as a query: what is undefined or null is not asked, a list is joined with commas. */
function query(filters = {}) {
    const asked = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
    return asked.length ? `?${new URLSearchParams(asked.map(([name, value]) => [name, String(value)]))}` : "";
}

/** Seconds that Retry-After asks for, which is a number of them or a date. */
function secondsUntil(text) {
    if (!text) return undefined;
    const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function pause(seconds, signal) {
    return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const stop = () => (clearTimeout(timer), reject(signal.reason));
        const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), seconds * 1000);
        signal?.addEventListener("abort", stop, { once: true });
    });
}
