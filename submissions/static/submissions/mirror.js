// The finder and the comparison of a mirror, where no server answers. index/*.js holds what submissions/pages/mirror/index.py
// writes; scripts, because a browser reads no other file of a USB stick. Facets, phrases and ranking are the server's.
"use strict";

const kept = {}, coming = {};
const ENOUGH = 100, TERABYTE = 1.024, ROWS = 20, MOST = 6;
const CURRENCIES = {"€": "EUR", eur: "EUR", euro: "EUR", euros: "EUR", $: "USD", usd: "USD", "£": "GBP", gbp: "GBP", chf: "CHF"};
const SIGNS = {EUR: "€", USD: "US$", GBP: "£"};
const CLASSES = {A: "app_perf_class", V: "video_speed_class", U: "uhs_speed_grade", C: "speed_class"};

window.mirror = {
    keep: (name, content) => { kept[name] = content; },
    wish,
    rank: async (asked) => (await rank(asked)).map((row) => kept.models.slug[kept[`${asked.profile}.${asked.board.interface}`].model[row]]),
};

function load(name) {
    return coming[name] ??= new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = `index/${name}.js`;
        script.onload = () => done(kept[name]);
        script.onerror = () => failed(new Error(`${script.src} is not there`));
        document.head.append(script);
    });
}

// What a text asks for: facets, and the words that are to be found in a model. As submissions/domain/search/question.py.
function understood(text, phrases) {
    const asked = {}, sizes = [];
    const take = (pattern, use) => { text = text.replace(pattern, (...found) => (use(...found), " ")); };
    text = ` ${text.normalize("NFKC").toLowerCase()} `;
    const money = Object.keys(CURRENCIES).map((sign) => sign.replace("$", "\\$")).sort((a, b) => b.length - a.length).join("|");
    take(new RegExp(`(?:(${money})\\s?(\\d+(?:[.,]\\d+)?)|(\\d+(?:[.,]\\d+)?)\\s?(${money}))(?![\\p{L}\\d])`, "u"),
        (_, sign, after, before, unit) => {
            asked.price_max = Number((after ?? before).replace(",", "."));
            asked.price_currency = CURRENCIES[sign ?? unit];
        });
    take(/(?<![\p{L}\d])(\d{1,5}(?:[.,]\d)?)[\s-]?(tb|gb|g|t)(?![\p{L}\d])/gu,
        (_, number, unit) => sizes.push(Number(number.replace(",", ".")) * (unit[0] === "t" ? 1000 : 1)));
    const words = phrases.map(([phrase]) => phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "[\\s_-]*"));
    const meanings = new Map(phrases.map(([phrase, kind, value]) => [phrase.replace(/[\s_-]/g, ""), [kind, value]]));
    const known = new RegExp(`(?<![\\p{L}\\d])(${words.sort((a, b) => b.length - a.length).join("|")})(?![\\p{L}\\d+])`, "gu");
    const names = [];
    take(known, (phrase) => {
        const [kind, value] = meanings.get(phrase.replace(/[\s_-]/g, ""));
        if (kind === "name") names.push(value.toLowerCase());
        else if (kind === "mark" && /^[AVUC]\d+$/.test(value)) asked[CLASSES[value[0]]] = Number(value.slice(1));
        else if (kind === "mark") asked.bus_mode = value;
        else if (["board", "profile", "form"].includes(kind)) asked[kind] = value;
    });
    take(/(?<![\p{L}\d])(?:4|8|16|32|64|128|256|512|1024|2048|1000)(?![\p{L}\d])/gu, (number) => sizes.push(Number(number)));
    names.push(...text.split(/[\s,;:!?"'()|/]+/).filter(Boolean));
    if (sizes.length > 1) Object.assign(asked, {capacity_gb_min: Math.min(...sizes), capacity_gb_max: Math.max(...sizes)});
    else if (sizes.length) Object.assign(asked, {capacity_gb_min: sizes[0], ...(names.length && {capacity_gb_max: sizes[0] * TERABYTE})});
    if (names.length) asked.q = names.flatMap((name) => name.split(" ")).join(" ");
    return asked;
}

// What the fields ask for, and where one is empty, what the text does. As FinderForm.wish and wishes.wish.
async function wish(fields) {
    const site = await load("site"), chosen = Object.fromEntries([...fields].filter(([, value]) => value));
    const {q = "", sort = "", ...filled} = chosen;
    const {board: named, profile: meant, ...asked} = {...understood(q, site.phrases), ...filled};
    const slug = named in site.boards ? named : Object.keys(site.boards)[0], board = site.boards[slug];
    const usable = site.profiles[meant]?.[0] === board.slot ? meant : board.profile;
    if (asked.price_max) asked.price_currency ??= "EUR";
    return {slug, board, profile: usable, chosen: asked, sort};
}

const TESTS = {
    gte: (own, value) => own !== null && own !== "" && own >= value,
    lte: (own, value) => own !== null && own <= value,
    exact: (own, value) => own === value,
    iexact: (own, value) => own.toLowerCase() === value.toLowerCase(),
    has: (own, value) => own.includes(value),
    overlap: (own, value) => own.some((text) => text.toLowerCase().includes(value.toLowerCase())),
    matching: (own, value) => value.split(" ").every((word) => own.includes(word)),
    doubted: (own, value) => own === value,
};
const FLAGS = {yes: true, true: true, 1: true, no: false, false: false, 0: false};
const READ = {number: Number, count: Number, class: Number, flag: (text) => FLAGS[text]};

// What was chosen, as tests of a model, and of a row of a ranking.
function testsOf(chosen, facets, models, scores) {
    const asked = facets.filter(([name, , , , , needs]) => chosen[name] !== undefined && (!needs || chosen[needs] !== undefined));
    const tests = {ofModel: [], ofScore: []};
    for (const [name, column, lookup, kind, ofScore] of asked) {
        const value = (READ[kind] ?? String)(chosen[name]), columns = ofScore ? scores : models;
        tests[ofScore ? "ofScore" : "ofModel"].push((at) => TESTS[lookup](columns[column][at], value));
    }
    return tests;
}

// Rows of the ranking that answer a wish, in its order, as numbers of rows.
async function rank({board, profile, chosen, sort}) {
    const [site, models, scores] = await Promise.all(["site", "models", `${profile}.${board.interface}`].map(load));
    const {ofModel, ofScore} = testsOf(chosen, site.facets, models, scores);
    const tests = [...ofScore, (row) => ofModel.every((test) => test(scores.model[row]))];
    if (!chosen.state) tests.push((row) => scores.state[row] !== "claim");
    if (board.forms && !chosen.form) tests.push((row) => board.forms.includes(models.form[scores.model[row]]));
    const rows = scores.model.map((_, row) => row).filter((row) => tests.every((test) => test(row)));
    const price = (row) => models.price[scores.model[row]] ?? Infinity;
    const keys = {
        price,
        "price-per-gb": (row) => price(row) / (models.capacity_gb[scores.model[row]] || 0) || Infinity,
        name: (row) => models.name[scores.model[row]],
    };
    const key = keys[sort];
    return key ? rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b)) : rows;
}

const times = (score) => `${Number((score / ENOUGH).toPrecision(2))}×`;
const money = (models, at) => (models.price[at] === null ? "–" : `${models.price[at].toFixed(2)} ${SIGNS[models.currency[at]] ?? models.currency[at]}`);
const onAxis = (score) => `${(50 * Math.min(2, Math.max(0, Math.log10(score / ENOUGH / 0.1)))).toFixed(1)}%`;
const medal = (state) => document.querySelector(`[data-state="${state}"]`).content.cloneNode(true);

// A row as the server draws it, with other words in it.
function drawn(row, place, asked, models, scores, usual) {
    const line = usual.cloneNode(true), at = scores.model[row], say = (where, words) => { line.querySelector(where).textContent = words; };
    const [link, meta, bar] = [line.querySelector(".title a"), line.querySelector(".meta"), line.querySelector("svg.bar")];
    say(".place", place);
    link.href = `models/${models.slug[at]}.html`;
    link.textContent = models.name[at];
    link.nextElementSibling?.remove();
    meta.replaceChildren(medal(scores.state[row]), Object.assign(document.createElement("span"), {textContent: scores.words[scores.evidence[row]]}));
    const [low, likely, high] = [scores.bound, scores.value, scores.upper].map((column) => onAxis(column[row]));
    bar.querySelector("title").textContent = `${times(scores.bound[row])} – ${times(scores.upper[row])}`;
    const place_of = (which, name, value) => bar.querySelector(`.${which}`).setAttribute(name, value);
    for (const [which, x] of [["sure", low], ["likely", likely]]) ["x1", "x2"].forEach((name) => place_of(which, name, x));
    place_of("interval", "x", low);
    place_of("interval", "width", `${Math.max(0.5, parseFloat(high) - parseFloat(low))}%`);
    say(".least b", times(scores.bound[row]));
    const figure = scores.figures[row].findIndex((word) => word >= 0), cell = line.querySelector(".figures");
    if (cell) cell.replaceChildren(figure < 0 ? "–" : `${scores.words[scores.figures[row][figure]]} `,
        Object.assign(document.createElement("span"), {className: "quiet line", textContent: scores.titles[figure] ?? ""}));
    line.querySelector(".price").textContent = money(models, at);
    Object.assign(line.querySelector("input") ?? {}, {value: models.slug[at], checked: false, ariaLabel: models.name[at]});
    return line;
}

async function finder(form) {
    const body = document.querySelector("#ranking tbody"), usual = body.rows[0].cloneNode(true), status = document.querySelector("#status");
    const more = document.querySelector("#more"), answer = document.querySelector("#answer");
    let turn = 0;
    async function show() {
        const mine = ++turn, fields = new FormData(form), asked = await wish(fields.entries()), rows = await rank(asked);
        const [models, scores] = [kept.models, kept[`${asked.profile}.${asked.board.interface}`]];
        if (mine !== turn) return;
        let shown = 0;
        more.onclick = () => {
            body.append(...rows.slice(shown, shown + ROWS).map((row, at) => drawn(row, shown + at + 1, asked, models, scores, usual)));
            shown += ROWS;
            more.hidden = shown >= rows.length;
        };
        body.replaceChildren();
        more.onclick();
        if (location.search || mine > 1) [...answer.children].filter((part) => !part.matches(".head, #ranking")).forEach((part) => part.remove());
        document.querySelectorAll(".chips a").forEach((link) => link.toggleAttribute("aria-current", new URLSearchParams(link.search).get("board") === asked.slug));
        document.querySelector("#answer h1").textContent = asked.board.title;
        document.querySelector("#answer .head p").textContent = `${kept.site.profiles[asked.profile][1]} · ${rows.length}`;
        document.querySelector("#all-cards").textContent = `${rows.length} / ${scores.model.length}`;
        status.textContent = rows.length;
        for (const [name, value] of [["board", asked.slug], ["profile", asked.profile]]) document.querySelector(`#compare [name=${name}]`).value = value;
        document.querySelectorAll(".sort a").forEach((link) => {
            const sort = new URLSearchParams(link.search).get("sort") ?? "", query = new URLSearchParams([...fields].filter(([, value]) => value));
            link.onclick = (event) => { event.preventDefault(); sorting.value = sort; show(); };
            link.href = `?${query}`;
            link.toggleAttribute("aria-current", sort === asked.sort);
        });
    }
    const sorting = Object.assign(document.createElement("input"), {type: "hidden", name: "sort"});
    form.append(sorting);
    for (const [name, value] of new URLSearchParams(location.search)) if (form.elements[name]) form.elements[name].value = value;
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
    await show();
    document.body.dataset.ready = "yes";
}

async function comparison(form) {
    const query = new URLSearchParams(location.search), table = document.querySelector("table.compare");
    for (const name of ["board", "profile"]) if (query.get(name)) form.elements[name].value = query.get(name);
    const asked = await wish([["board", form.elements.board.value], ["profile", form.elements.profile.value]]);
    const scores = await load(`${asked.profile}.${asked.board.interface}`), models = await load("models");
    const slugs = [...new Set(query.getAll("m"))].filter((slug) => models.slug.includes(slug)).slice(0, MOST);
    const cell = (row, ...content) => { const td = document.createElement("td"); td.append(...content); row.append(td); };
    const rows = Object.fromEntries([...table.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row]));
    const places = slugs.map((slug) => scores.model.indexOf(models.slug.indexOf(slug)));
    const measured = scores.titles.map((_, number) => number).filter((number) => places.some((row) => row >= 0 && scores.figures[row][number] >= 0));
    for (const title of measured.map((number) => scores.titles[number])) {
        rows[title] = table.tBodies[0].insertRow();
        rows[title].append(Object.assign(document.createElement("th"), {scope: "row", textContent: title}));
    }
    for (const slug of slugs) {
        const at = models.slug.indexOf(slug), row = scores.model.indexOf(at), link = Object.assign(document.createElement("a"), {href: `models/${slug}.html`, textContent: models.name[at]});
        const head = Object.assign(document.createElement("th"), {scope: "col"});
        head.append(link);
        table.tHead.rows[0].append(head);
        form.append(Object.assign(document.createElement("input"), {type: "hidden", name: "m", value: slug}));
        cell(rows.least, row < 0 ? "–" : `${times(scores.bound[row])} – ${times(scores.upper[row])}`);
        cell(rows.evidence, ...(row < 0 ? ["–"] : [medal(scores.state[row]), ` ${scores.words[scores.evidence[row]]}`]));
        cell(rows.price, money(models, at));
        cell(rows.marks, Object.entries(CLASSES).filter(([, column]) => models[column][at]).map(([letter, column]) => letter + models[column][at]).join(" ") || "–");
        cell(rows.makers, models.makers[at].join(", ") || "–");
        measured.forEach((number) => cell(rows[scores.titles[number]], scores.words[scores.figures[row]?.[number]] ?? "–"));
    }
    table.closest(".scroll").hidden = !slugs.length;
    document.querySelector("p.empty").hidden = slugs.length > 0;
    form.elements.add.addEventListener("input", async () => {
        const {chosen} = await wish([["q", form.elements.add.value]]), {ofModel} = testsOf(chosen, kept.site.facets, models);
        const found = models.slug.map((_, at) => at).filter((at) => chosen.q && ofModel.every((test) => test(at))).slice(0, 2 * MOST);
        list.replaceChildren(...found.map((at) => {
            const next = new URLSearchParams([...slugs, models.slug[at]].map((slug) => ["m", slug])), line = document.createElement("li");
            for (const name of ["board", "profile"]) next.set(name, form.elements[name].value);
            line.append(Object.assign(document.createElement("a"), {href: `?${next}`, textContent: models.name[at]}));
            return line;
        }));
    });
    const list = Object.assign(document.createElement("ul"), {className: "links"});
    form.after(list);
    document.body.dataset.ready = "yes";
}

const asking = document.querySelector("form.ask"), comparing = document.querySelector("form.finder");
if (asking) finder(asking);
if (comparing) comparison(comparing);
