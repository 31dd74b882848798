/* Sorts tables by the keyboard or the mouse, and tells the time and the term under the pointer. The page has all of its contents without it. */
'use strict';
(() => {
    // ---- tables

    const value = (row, column) => {
        const cell = row.cells[column];
        if (!cell || cell.colSpan > 1) return null;
        if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
        const text = cell.textContent.trim();
        return text === '' || text === '–' ? null : text;
    };

    const compare = (a, b) => {
        if (a === null || b === null) return (a === null) - (b === null);
        if (typeof a === 'number' && typeof b === 'number') return a - b;
        return String(a).localeCompare(String(b), undefined, { numeric: true });
    };

    const status = document.createElement('p');
    status.className = 'hidden';
    status.setAttribute('role', 'status');
    document.body.append(status);

    const makeSortable = table => {
        const heads = [...table.tHead.rows[0].cells];
        const rows = [...table.querySelectorAll('tr.row')].map(row => ({ row, home: row.parentNode }));

        const sort = (head, column) => {
            const now = head.getAttribute('aria-sort');
            const next = now === null ? 'ascending' : now === 'ascending' ? 'descending' : null;
            for (const other of heads) other.removeAttribute('aria-sort');
            table.classList.toggle('sorted', next !== null);
            if (next === null) {
                for (const { row, home } of rows) home.append(row);
                status.textContent = 'Rows are in their own order.';
                return;
            }
            head.setAttribute('aria-sort', next);
            const sign = next === 'ascending' ? 1 : -1;
            const keyed = rows.map(({ row }, index) => ({ row, index, key: value(row, column) }));
            keyed.sort((a, b) => {
                const nulls = (a.key === null) - (b.key === null);
                return nulls || sign * compare(a.key, b.key) || a.index - b.index;
            });
            for (const { row } of keyed) table.tBodies[0].append(row);
            status.textContent = `Rows are sorted by ${head.textContent}, ${next}.`;
        };

        heads.forEach((head, column) => {
            if (head.dataset.unsorted !== undefined || !head.textContent.trim()) return;
            const button = document.createElement('button');
            button.type = 'button';
            button.append(...head.childNodes);
            head.append(button);
            button.addEventListener('click', () => sort(head, column));
        });
    };

    for (const table of document.querySelectorAll('table.sortable')) makeSortable(table);

    // ---- the meaning of a term under the pointer

    const meanings = new Map([...document.querySelectorAll('.glossary div')].map(entry => [...entry.children].map(part => part.textContent)));
    for (const term of document.querySelectorAll('abbr')) term.title = meanings.get(term.textContent) ?? '';

    // ---- the time under the pointer

    const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns'], [1e-3, 'ps']];

    const time = ns => {
        const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[4];
        return `${(ns / size).toPrecision(4)} ${unit}`;
    };

    const timeAt = (figure, y) => {
        const d = Object.fromEntries(Object.entries(figure.dataset).map(([key, text]) => [key, Number(text)]));
        if (y < d.top && d.most > d.high)
            return d.high * (d.most / d.high) ** Math.min(1, Math.max(0, (d.above - y) / d.strip));
        if (y > d.bottom && d.least < d.low) return null;
        if (y < d.top || y > d.bottom) return null;
        const share = (d.bottom - y) / (d.bottom - d.top);
        return d.log ? d.low * (d.high / d.low) ** share : d.low + share * (d.high - d.low);
    };

    const tip = document.createElement('div');
    tip.id = 'tip';
    tip.setAttribute('aria-hidden', 'true');
    document.body.append(tip);

    const hide = () => tip.classList.remove('shown');

    for (const figure of document.querySelectorAll('figure[data-low]')) {
        const plot = figure.querySelector('svg.plot'), panel = figure.querySelector('svg.over-time');
        plot.addEventListener('pointermove', event => {
            const box = plot.getBoundingClientRect(), over = panel.getBoundingClientRect();
            const ns = timeAt(figure, event.clientY - box.top);
            if (ns === null) return hide();
            const n = Number(figure.dataset.processes);
            const index = Math.floor((event.clientX - over.left) / over.width * n);
            tip.textContent = time(ns) + (index >= 0 && index < n ? `, process ${index + 1}` : '');
            tip.style.transform = `translate(${event.clientX + 14}px, ${event.clientY - 30}px)`;
            tip.classList.add('shown');
        });
        plot.addEventListener('pointerleave', hide);
    }
})();
