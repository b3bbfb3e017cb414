// The finder and the comparison of a mirror, where no server answers. index/*.js holds what submissions/pages/mirror/index.py
// writes; scripts, because a browser reads no other file of a USB stick. Facets, phrases and ranking are the server's.
"use strict";

const kept = {}, coming = {};
const TERABYTE = 1.024, ROWS = 20, MOST = 6;
const CURRENCIES = {"€": "EUR", eur: "EUR", euro: "EUR", euros: "EUR", $: "USD", usd: "USD", "£": "GBP", gbp: "GBP", chf: "CHF"};
const SIGNS = {EUR: "€", USD: "US$", GBP: "£"};
const CLASSES = {A: "app_perf_class", V: "video_speed_class", U: "uhs_speed_grade", C: "speed_class"};
// What an ability of a model is, as numbers that add up; as index.py.
const HERE = 2, AT_LEAST = 4;
const UNITS = {"B/s": [["GB/s", 1e9], ["MB/s", 1e6], ["kB/s", 1e3], ["B/s", 1]], "1/s": [["IOPS", 1]], ns: [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]]};

window.mirror = {
    keep: (name, content) => { kept[name] = content; },
    wish,
    rank: async (asked) => {
        const rows = await rank(asked), {slot, order} = await ranking(asked);
        return rows.map((row) => [kept.models.slug[slot.model[order.row[row]]], order.place[asked.board.form][row]]);
    },
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

const escaped = (phrase) => phrase.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "[\\s_-]*");
const oneOf = (phrases) => [...phrases].sort((a, b) => b.length - a.length).map(escaped).join("|");

// What a text asks for: facets, and the names that are to be found in a model. As submissions/domain/search/question.py, but
// without its stems, its typing errors and its intents: here every question asks for a card.
function understood(text, {phrases, brands, lines}) {
    const asked = {}, sizes = [], excluded = [], names = [];
    const take = (pattern, use) => { text = text.replace(pattern, (...found) => (use(...found), " ")); };
    const ofKind = (...kinds) => phrases.filter(([, kind]) => kinds.includes(kind));
    const said = (...kinds) => oneOf(ofKind(...kinds).map(([phrase]) => phrase));
    const spelling = new Map([...brands.map((brand) => [brand, brand]), ...ofKind("name").map(([phrase, , value]) => [phrase, value.toLowerCase()])]);
    const plain = new Map([...spelling].map(([phrase, value]) => [phrase.replace(/[\s_-]/g, ""), value]));
    const brand = (phrase) => plain.get(phrase.replace(/[\s_-]/g, ""));
    text = ` ${text.normalize("NFKC").toLowerCase()} `;
    const money = oneOf(Object.keys(CURRENCIES));
    take(new RegExp(`(?:(${money})\\s?(\\d+(?:[.,]\\d+)?)|(\\d+(?:[.,]\\d+)?)\\s?(${money}))(?![\\p{L}\\d])`, "u"),
        (_, sign, after, before, unit) => {
            asked.price_max = Number((after ?? before).replace(",", "."));
            asked.price_currency = CURRENCIES[sign ?? unit];
        });
    take(new RegExp(`(?<![\\p{L}\\d])(?:(${said("most")})\\s+)?(?:(${said("least")})\\s+)?(\\d{1,5}(?:[.,]\\d)?)[\\s-]?(tb|gb|g|t)(?![\\p{L}\\d])`, "gu"),
        (_, most, least, number, unit) => {
            const size = Number(number.replace(",", ".")) * (unit[0] === "t" ? 1000 : 1);
            if (most) asked.capacity_gb_max = size;
            else if (least) asked.capacity_gb_min = size;
            else sizes.push(size);
        });
    take(new RegExp(`(?<![\\p{L}\\d])(?:${said("not")})\\s+(?:\\p{L}{1,4}\\s+)?(${oneOf(spelling.keys())})(?![\\p{L}\\d])`, "gu"), (_, phrase) => excluded.push(brand(phrase)));
    const meanings = new Map(phrases.map(([phrase, kind, value]) => [phrase.replace(/[\s_-]/g, ""), [kind, value]]));
    const known = new RegExp(`(?<![\\p{L}\\d])(${oneOf([...phrases.map(([phrase]) => phrase), ...brands])})(?![\\p{L}\\d+])`, "gu");
    take(known, (phrase) => {
        const [kind, value] = meanings.get(phrase.replace(/[\s_-]/g, "")) ?? ["name"];
        if (kind === "name") names.push(brand(phrase));
        else if (kind === "mark" && /^[AVUC]\d+$/.test(value)) asked[CLASSES[value[0]]] = Number(value.slice(1));
        else if (kind === "mark") asked.bus_mode = value;
        else if (kind === "form" && value === "microSD") return;
        else if (["board", "use", "form", "order"].includes(kind)) asked[kind] = value;
    });
    take(/(?<![\p{L}\d])(?:16|32|64|128|256|512|1024|2048|1000)(?![\p{L}\d])/gu, (number) => sizes.push(Number(number)));
    const rest = text.split(/[\s,;:!?"'()|/]+/).filter(Boolean), isBare = rest.every((word) => lines.includes(word));
    if (names.length || isBare) names.push(...rest.filter((word) => lines.includes(word)));
    if (sizes.length > 1) Object.assign(asked, {capacity_gb_min: Math.min(...sizes), capacity_gb_max: Math.max(...sizes)});
    else if (sizes.length) Object.assign(asked, {capacity_gb_min: sizes[0], ...(names.length && {capacity_gb_max: sizes[0] * TERABYTE})});
    if (names.length) asked.q = names.flatMap((name) => name.split(" ")).join(" ");
    return {...asked, excluded};
}

// What the fields ask for, and where one is empty, what the text does. As FinderForm.wish and wishes.make_wish.
async function wish(fields) {
    const site = await load("site"), given = Object.fromEntries([...fields].filter(([, value]) => value));
    const {q = "", sort, profile, ...filled} = given;
    const {board: named, use: meant, order, excluded, ...chosen} = {...understood(q, site), ...(profile && {use: profile}), ...filled};
    const hasDevice = named in site.boards || !q, slug = named in site.boards ? named : q ? site.any_device : Object.keys(site.boards)[0];
    const board = site.boards[slug], use = site.uses[meant]?.[0] === board.kind ? meant : board.use;
    if (chosen.price_max) chosen.price_currency ??= "EUR";
    return {slug, board, use, chosen, excluded, hasDevice, sort: sort ?? (order === "speed" ? site.uses[use][2] : order) ?? ""};
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
    offered: (own, value) => own !== null && own <= value, // older prices are left out of the mirror
};
const FLAGS = {yes: true, true: true, 1: true, no: false, false: false, 0: false};
const READ = {number: Number, count: Number, class: Number, flag: (text) => FLAGS[text]};

// What was chosen, as tests of a model, and of a row of a ranking, by the value of a column in it.
function testsOf(chosen, facets, models, valueOf) {
    const asked = facets.filter(([name, , , , , needs]) => chosen[name] !== undefined && (!needs || chosen[needs] !== undefined));
    const tests = {ofModel: [], ofRow: []};
    for (const [name, column, lookup, kind, ofModel] of asked) {
        const value = (READ[kind] ?? String)(chosen[name]);
        if (ofModel) tests.ofModel.push((at) => TESTS[lookup](models[column][at], value));
        else tests.ofRow.push((row) => TESTS[lookup](valueOf(column, row), value));
    }
    return tests;
}

// The figures of a slot, and its order for a use.
async function ranking({board, use}) {
    const [, , slot] = await Promise.all(["site", "models", `slot.${board.slot}`].map(load));
    return {slot, order: slot.uses[use]};
}

const ofRow = (slot, order, ability, row) => slot.abilities[ability]?.[order.row[row]] || null;
const leading = (slot, order, row) => ofRow(slot, order, order.leads[order.lead[row]], row);

// Rows of the ranking that answer a wish, in its order, as numbers of rows.
async function rank(asked) {
    const {board, chosen, sort} = asked, {slot, order} = await ranking(asked), {site, models} = kept;
    const model = (row) => slot.model[order.row[row]];
    const valueOf = (column, row) => {
        if (column === "cards") return order.cards[row];
        if (column === "origin") return leading(slot, order, row)[3] & HERE ? "here" : "elsewhere";
        const figure = ofRow(slot, order, column, row);
        return figure && figure[0] / site.abilities[column][2];
    };
    const {ofModel, ofRow: ofRows} = testsOf(chosen, site.facets, models, valueOf);
    const tests = [...ofRows, (row) => ofModel.every((test) => test(model(row)))];
    for (const name of asked.excluded) tests.push((row) => !models.words[model(row)].includes(name));
    if (board.forms && !chosen.form) tests.push((row) => board.forms.includes(models.form[model(row)]));
    const rows = order.row.map((_, row) => row).filter((row) => tests.every((test) => test(row)));
    const price = (row) => models.price[model(row)] ?? Infinity;
    const keys = {
        price,
        "price-per-gb": (row) => price(row) / (models.capacity_gb[model(row)] || 0) || Infinity,
        name: (row) => models.name[model(row)],
        dearest: (row) => -(models.price[model(row)] ?? -Infinity),
        capacity: (row) => -(models.capacity_gb[model(row)] ?? 0),
        smallest: (row) => models.capacity_gb[model(row)] ?? Infinity,
        worst: (row) => (order.place[board.form][row] ? 0 : order.row.length) - row,
    };
    const figure = (row) => { const own = ofRow(slot, order, sort, row); return own ? -direction(sort) * own[0] : Infinity; };
    const key = keys[sort] ?? (sort in slot.abilities ? figure : null);
    const gated = (row) => sort !== "name" && row >= order.gated_from; // last in every order
    return key ? rows.sort((a, b) => gated(a) - gated(b) || (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b)) : rows;
}

// Less is better of a time.
const direction = (ability) => (kept.site.abilities[ability][1] === "ns" ? -1 : 1);
const money = (models, at) => (models.price[at] === null ? "–" : `${models.price[at].toFixed(2)} ${SIGNS[models.currency[at]] ?? models.currency[at]}`);

// "3,450 IOPS", in three digits; as metrics.amount_in_words.
function amount(value, ability) {
    const units = UNITS[kept.site.abilities[ability][1]], rounded = Number(value.toPrecision(3));
    const [unit, factor] = units.find(([, least]) => rounded >= least) ?? units.at(-1), number = value / factor;
    return `${number >= 999.5 ? Math.round(number).toLocaleString("en-US") : Number(number.toPrecision(3))} ${unit}`;
}

function said([value, , , kind], ability) {
    if (kind & AT_LEAST) return `at least ${amount(value, ability)}`;
    return kind & HERE ? amount(value, ability) : `≈ ${amount(value, ability)}`;
}

// The axis of some figures; as submissions/pages/content/axis.py.
function axisOf(figures, ability, needs) {
    const log = (value) => direction(ability) * Math.log10(value), need = needs.find(([name]) => name === ability);
    const logs = figures.filter(Boolean).flatMap(([value, lower, upper, kind]) => (kind & AT_LEAST ? [value] : [value, lower, upper]).map(log));
    if (need) logs.push(log(need[1]));
    const steps = Array.from({length: 60}, (_, at) => [1, 2, 5].map((step) => at - 30 + Math.log10(step))).flat();
    const low = Math.max(...steps.filter((step) => step < Math.min(...logs) - 1e-9)), high = Math.min(...steps.filter((step) => step > Math.max(...logs) + 1e-9));
    const place = (value) => 100 * Math.min(1, Math.max(0, (log(value) - low) / (high - low)));
    const words = (end) => amount(10 ** (direction(ability) * end), ability);
    const ticks = [[words(low), 0, "start"], [words(high), 100, "end"]].filter(([, x]) => !need || Math.abs(x - place(need[1])) >= 42);
    if (need) ticks.push([`${amount(need[1], ability)} needed`, place(need[1]), "middle"]);
    return {place, ticks, need: need ? place(need[1]) : null};
}

function drawAxis(svg, {ticks}) {
    svg.replaceChildren(...ticks.map(([words, x, anchor]) => {
        const text = document.createElementNS(svg.namespaceURI, "text");
        for (const [name, value] of [["x", `${x.toFixed(1)}%`], ["y", 12], ["text-anchor", anchor]]) text.setAttribute(name, value);
        text.textContent = words;
        return text;
    }));
}

function drawBar(bar, figure, ability, axis) {
    const [value, lower, upper, kind] = figure, ends = kind & AT_LEAST ? [axis.place(value), 100] : [lower, upper].map(axis.place).sort((a, b) => a - b);
    const left = Math.min(ends[0], 99.5), place = (which, values) => {
        for (const [name, x] of Object.entries(values)) bar.querySelector(`.${which}`)?.setAttribute(name, `${x.toFixed(1)}%`);
    };
    bar.classList.toggle("expected", !(kind & HERE));
    bar.querySelector("title").textContent = `${said(figure, ability)} (${amount(lower, ability)} – ${amount(upper, ability)})`;
    place("value", {x1: axis.place(value), x2: axis.place(value)});
    place("interval", {x: left, width: Math.max(0.5, ends[1] - left)});
    place("enough", {x1: axis.need ?? -9, x2: axis.need ?? -9});
}

function marks(states, needs) {
    return states.map((state, at) => {
        const mark = document.createElement("li"), title = kept.site.abilities[needs[at][0]][0], named = document.createElement("span"), words = document.createElement("span");
        named.textContent = title;
        named.className = state === "pass" ? "hidden" : "";
        words.textContent = `: ${kept.site.states[state]}`;
        words.className = "hidden";
        mark.className = state;
        mark.title = `${title}: ${kept.site.states[state]}; needed: ${amount(needs[at][1], needs[at][0])}`;
        mark.append(named, words);
        return mark;
    });
}

// A row as the server draws it, with other words in it.
function drawn(row, {asked, slot, order, shown, axis, usual}) {
    const line = usual.cloneNode(true), at = slot.model[order.row[row]], {models} = kept, say = (where, words) => { line.querySelector(where).textContent = words; };
    const figure = shown(row), lead = leading(slot, order, row), ability = asked.sort in slot.abilities ? asked.sort : order.leads[order.lead[row]];
    const link = line.querySelector(".title a"), meta = line.querySelector(".meta"), plot = line.querySelector(".plot"), needs = line.querySelector("ul.needs");
    line.className = figure && !(figure[3] & HERE) ? "expected" : "";
    say(".place", asked.sort ? "" : order.place[asked.board.form][row]);
    link.href = `models/${models.slug[at]}.html`;
    link.textContent = models.name[at];
    link.nextElementSibling?.remove();
    const evidence = [slot.words[order.evidence[row]], ...(lead[3] & HERE ? [] : ["expected from other devices"])].join(", ");
    meta.replaceChildren(...[evidence, slot.words[order.notes[row]]].filter(Boolean).map((words) => Object.assign(document.createElement("span"), {textContent: words})));
    say(".amount b", figure ? said(figure, ability) : "–");
    say(".amount .quiet", order.lead[row] && !asked.sort ? kept.site.abilities[ability][0] : "");
    if (figure) drawBar(plot.querySelector("svg.bar"), figure, ability, axis);
    else plot.replaceChildren();
    needs?.replaceChildren(...marks(order.state[row], order.needs));
    line.querySelector(".price").textContent = money(models, at);
    Object.assign(line.querySelector("input") ?? {}, {value: models.slug[at], checked: false, ariaLabel: models.name[at]});
    return line;
}

async function finder(form) {
    const table = document.querySelector("#ranking table"), body = table.tBodies[0], status = document.querySelector("#status");
    const usual = body.rows[0].cloneNode(true), more = document.querySelector("#more"), answer = document.querySelector("#answer");
    let turn = 0;
    async function show() {
        const mine = ++turn, fields = new FormData(form), asked = await wish(fields.entries()), rows = await rank(asked), {slot, order} = await ranking(asked);
        if (mine !== turn) return;
        const ability = asked.sort in slot.abilities ? asked.sort : order.leads[0];
        const shown = (row) => (asked.sort in slot.abilities ? ofRow(slot, order, asked.sort, row) : leading(slot, order, row));
        const axis = axisOf(rows.map(shown), ability, order.needs), drawing = {asked, slot, order, shown, axis, usual};
        let count = 0;
        more.onclick = () => {
            body.append(...rows.slice(count, count + ROWS).map((row) => drawn(row, drawing)));
            count += ROWS;
            more.hidden = count >= rows.length;
        };
        body.replaceChildren();
        if (rows.length) drawAxis(table.querySelector("svg.axis"), axis);
        table.querySelector("th.amount").textContent = kept.site.abilities[ability][0];
        more.onclick();
        if (location.search || mine > 1) [...answer.children].filter((part) => !part.matches(".head, #ranking")).forEach((part) => part.remove());
        document.querySelectorAll(".chips a").forEach((link) => link.toggleAttribute("aria-current", new URLSearchParams(link.search).get("board") === asked.slug));
        document.querySelector("#answer h1").textContent = asked.hasDevice ? asked.board.title : kept.site.ask;
        document.querySelector("#answer .head p").textContent = `${kept.site.uses[asked.use][1]} · ${rows.length}`;
        document.querySelector("#all-cards").textContent = `${rows.length} / ${order.row.length}`;
        status.textContent = rows.length;
        for (const [name, value] of [["board", asked.slug], ["use", asked.use]]) document.querySelector(`#compare [name=${name}]`).value = value;
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
    for (const name of ["board", "use"]) if (query.get(name)) form.elements[name].value = query.get(name);
    const asked = await wish([["board", form.elements.board.value], ["use", form.elements.use.value]]);
    const {slot, order} = await ranking(asked), {models} = kept;
    const slugs = [...new Set(query.getAll("m"))].filter((slug) => models.slug.includes(slug)).slice(0, MOST);
    const cell = (row, ...content) => { const td = document.createElement("td"); td.append(...content); row?.append(td); };
    const rows = Object.fromEntries([...table.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row]));
    rows.answer?.remove();
    const places = slugs.map((slug) => slot.model.indexOf(models.slug.indexOf(slug)));
    const measured = Object.keys(slot.abilities).filter((ability) => places.some((at) => slot.abilities[ability][at]));
    for (const ability of measured) {
        rows[ability] = table.tBodies[0].insertRow();
        rows[ability].append(Object.assign(document.createElement("th"), {scope: "row", textContent: kept.site.abilities[ability][0]}));
    }
    for (const [number, slug] of slugs.entries()) {
        const at = models.slug.indexOf(slug), row = order.row.indexOf(places[number]), link = Object.assign(document.createElement("a"), {href: `models/${slug}.html`, textContent: models.name[at]});
        const head = Object.assign(document.createElement("th"), {scope: "col"});
        head.append(link);
        table.tHead.rows[0].append(head);
        form.append(Object.assign(document.createElement("input"), {type: "hidden", name: "m", value: slug}));
        cell(rows.place, (row >= 0 && order.place[asked.board.form][row]) || "–");
        cell(rows.price, money(models, at));
        cell(rows.marks, Object.entries(CLASSES).filter(([, column]) => models[column][at]).map(([letter, column]) => letter + models[column][at]).join(" ") || "–");
        cell(rows.makers, models.makers[at].join(", ") || "–");
        measured.forEach((ability) => {
            const figure = slot.abilities[ability][places[number]];
            cell(rows[ability], figure ? said(figure, ability) : "–");
        });
    }
    table.closest(".scroll").hidden = !slugs.length;
    document.querySelector("p.empty").hidden = slugs.length > 0;
    form.elements.add.addEventListener("input", async () => {
        const words = form.elements.add.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = models.slug.map((_, at) => at).filter((at) => words.length && words.every((word) => models.words[at].includes(word))).slice(0, 2 * MOST);
        list.replaceChildren(...found.map((at) => {
            const next = new URLSearchParams([...slugs, models.slug[at]].map((slug) => ["m", slug])), line = document.createElement("li");
            for (const name of ["board", "use"]) next.set(name, form.elements[name].value);
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
