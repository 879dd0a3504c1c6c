// Draws the results of a run for docs/performance.md: node bench/picture.ts [RESULTS.json] [PICTURE.svg]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './table.ts';

const root = join(import.meta.dirname, '..');
const [from = join(root, 'bench/results/latest.json'), to = join(root, 'docs/images/bench.svg')] =
  process.argv.slice(2);
type Results = {
  about: { startedAt: string; machine: string; rounds: number; seconds: number };
  rows: Row[];
};
const { about, rows }: Results = JSON.parse(readFileSync(from, 'utf8'));

const maxOf = (of: Row[]) => Math.max(...of.map(({ perSecond }) => perSecond), 1);
const shown = rows.filter(
  ({ target, nodes, connections, open }) =>
    !target.endsWith('tenant') && !target.endsWith('tenants') && nodes === 1 && connections === 64 && !open,
);
const limits = [...new Set(shown.map(({ target }) => target))].flatMap((target) => {
  const of = (row: Row | undefined, operation: string): Row[] =>
    row?.limit ? [{ ...row, target, operation, perSecond: row.limit }] : [];
  const find = (name: string) => shown.find((row) => row.target === target && row.operation.startsWith(name));
  return [
    ...of(find('enrol'), 'the database itself, one row per statement'),
    ...of(find('bulk'), 'the database itself, 50 rows per statement'),
    ...of(find('read'), 'HTTP alone, reads from memory'),
  ];
});
const bars = [...shown, ...limits].sort((a, b) => a.target.localeCompare(b.target));

const [line, left, width] = [22, 300, 420];
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const longest = maxOf(bars);
const parts: string[] = [];
let y = 40;
let target = '';
for (const bar of bars) {
  if (bar.target !== target) {
    target = bar.target;
    y += 8;
    parts.push(`<text x="8" y="${y + 15}" class="head">${escaped(target)}</text>`);
    y += line;
  }
  const isLimit = limits.includes(bar);
  const long = Math.max(1, (bar.perSecond / longest) * width);
  const figure = Math.round(bar.perSecond).toLocaleString('en');
  parts.push(
    `<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escaped(bar.operation)}</text>`,
    `<rect x="${left}" y="${y + 3}" width="${long.toFixed(1)}" height="15" class="${isLimit ? 'limit' : 'own'}"/>`,
    `<text x="${(left + long + 6).toFixed(1)}" y="${y + 15}">${figure}</text>`,
  );
  y += line;
}
const caption = `Rows per second at 64 connections, medians of ${about.rounds} rounds of ${about.seconds} s. ${about.machine}, ${about.startedAt.slice(0, 10)}`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${y + 12}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${escaped(caption)}">
<style>text { fill: #1f2937 } .head { font-weight: 600 } .own { fill: #2563eb } .limit { fill: #9ca3af }
@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .own { fill: #60a5fa } .limit { fill: #6b7280 } }</style>
<text x="8" y="22">${escaped(caption)}</text>
${parts.join('\n')}
</svg>
`;
writeFileSync(to, svg);
console.log(`Written to ${to}`);
