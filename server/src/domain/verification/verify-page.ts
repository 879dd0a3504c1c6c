import { createHash } from 'node:crypto';
import type { RouteResponse } from '../../http/routes.ts';
import { path } from '../../http/routes.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import type { VerifiedCertificate } from '../certificates/record/schemas.ts';
import { rejectionPage } from '../delivery/player/rejection-page.ts';
import type { Language } from '../tenants/schemas.ts';
import { dayIn, textsIn } from './page-texts.ts';

const style = `:root{color-scheme:light dark;--text:#1c2024;--muted:#5b6470;--ground:#f6f7f9;--card:#fff;--line:#e3e6ea;--good:#17693a;--good-soft:#e4f4ea;--bad:#a32218;--bad-soft:#fdebe9;--old:#7a5200;--old-soft:#fcf1dc;--link:#2456d6}
@media(prefers-color-scheme:dark){:root{--text:#eceef0;--muted:#a7afb9;--ground:#111315;--card:#1a1d20;--line:#2b3035;--good:#7fd6a1;--good-soft:#173324;--bad:#ff9f95;--bad-soft:#3d1b18;--old:#f2c46d;--old-soft:#372a10;--link:#8fb0ff}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{width:min(36rem,100%);background:var(--card);border:1px solid var(--line);border-radius:14px;overflow:hidden}
.state{margin:0;padding:1rem 2rem;font-size:1.05rem;line-height:1.35;display:flex;gap:.7rem;align-items:center}
.state svg{flex:none;width:1.4rem;height:1.4rem}.valid{color:var(--good);background:var(--good-soft)}.revoked{color:var(--bad);background:var(--bad-soft)}.expired,.replaced{color:var(--old);background:var(--old-soft)}
.body{padding:1.6rem 2rem 2rem}.name{margin:0 0 1.2rem;font-size:1.7rem;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
dl{margin:0;display:grid;grid-template-columns:max-content 1fr;gap:.55rem 1.4rem}dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.number{font-variant-numeric:tabular-nums;letter-spacing:.04em}p.more{margin:1.2rem 0 0}a{color:var(--link);font-weight:600}
@media(max-width:30rem){.state,.body{padding-left:1.2rem;padding-right:1.2rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.7rem}}
form{display:flex;gap:.6rem;flex-wrap:wrap;align-items:end}label{color:var(--muted);flex:1 1 14rem}input[type=text]{display:block;width:100%;font:inherit;padding:.5rem .7rem;margin-top:.2rem;border:1px solid var(--muted);border-radius:8px;background:var(--card);color:var(--text)}
button{font:inherit;font-weight:600;padding:.5rem 1.1rem;border:1px solid transparent;border-radius:8px;background:var(--link);color:var(--card);cursor:pointer}
.drop{display:block;margin-top:1.6rem;padding:1rem 1.2rem;border:2px dashed var(--line);border-radius:10px}.drop.over{border-color:var(--link)}.drop b{display:block;color:var(--text)}.drop input{display:block;margin-top:.6rem;max-width:100%;font:inherit;font-size:.9rem}
.drop input::file-selector-button{font:inherit;font-weight:600;padding:.35rem .8rem;margin-right:.7rem;border:1px solid var(--muted);border-radius:8px;background:var(--card);color:var(--text);cursor:pointer}
h1.plain{margin:0 0 1rem;font-size:1.3rem;line-height:1.3}.result{margin:1rem 0 0;padding:.7rem 1rem;border-radius:8px}.result:empty{display:none}
@media print{.drop,.result{display:none}body{background:#fff}main{border-color:#999}}`;

/** Checks a chosen or dropped file, and opens the page of a typed number. Its texts are in the page. */
const script = `const drop = document.querySelector('.drop'), result = document.querySelector('.result'), form = document.querySelector('form');
const texts = JSON.parse(drop.dataset.texts);
const show = (kind, text, number) => {
  result.className = 'result ' + kind;
  result.textContent = text;
  if (number && !location.pathname.endsWith(number)) {
    const link = document.createElement('a');
    link.href = '/verify/' + number;
    link.textContent = number;
    result.append(' ', link);
  }
};
const check = async (file) => {
  try {
    const reply = await fetch('/verify', { method: 'POST', body: file, headers: { accept: 'application/json', 'content-type': 'application/octet-stream' } });
    if (!reply.ok) throw reply.status;
    const { Result, Certificate } = await reply.json();
    const { Number: number, Status, Name, CourseTitle } = Certificate ?? {};
    const found = Result === 'genuine' && file.type.startsWith('image/') ? texts.picture : texts[Result];
    const kind = { genuine: Status, differs: Status === 'valid' ? 'expired' : Status }[Result] || 'revoked';
    const what = [Name ?? texts.erased, CourseTitle].join(', ');
    show(kind, Certificate ? found + ' ' + texts.status[Status] + ' – ' + what + '.' : found, number);
  } catch { show('expired', texts.failed); }
};
drop.querySelector('input').addEventListener('change', (event) => event.target.files[0] && check(event.target.files[0]));
addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
addEventListener('dragleave', () => drop.classList.remove('over'));
addEventListener('drop', (event) => { event.preventDefault(); drop.classList.remove('over'); const [file] = event.dataTransfer.files; if (file) check(file); });
if (form) form.addEventListener('submit', (event) => { event.preventDefault(); location.href = '/verify/' + encodeURIComponent(form.elements.number.value.trim()); });`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function dropZone(language: Language): string {
  const { check, status, erased } = textsIn(language);
  const { file, hint, failed, picture, results } = check;
  const texts = escapeHtml(JSON.stringify({ ...results, failed, picture, status, erased }));
  return `<label class="drop" data-texts="${texts}"><b>${file}</b>${hint}<input type="file" accept=".pdf,.json,.jwt,.png,.svg"></label><p class="result" role="status"></p>`;
}

const pageOf = (language: Language, title: string, main: string): RouteResponse => ({
  status: 200,
  body: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>
<body><main>${main}</main><script>${script}</script></body></html>`,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
});

/** The public page for people who have a number or a file. */
export function checkPage(language: Language): RouteResponse {
  const { number, check } = textsIn(language);
  return pageOf(
    language,
    check.title,
    `<div class="body"><h1 class="plain">${check.title}</h1><form><label>${number}<input type="text" name="number" required maxlength="64" autocomplete="off" spellcheck="false"></label><button>${check.open}</button></form>${dropZone(language)}</div>`,
  );
}

const marks = {
  valid: 'M5 13l4 4L19 7',
  revoked: 'M6 6l12 12M18 6L6 18',
  expired: 'M12 7v6l4 2',
  replaced: 'M5 12h13M13 6l6 6-6 6',
};

/** Names of any script keep their direction. */
const isolated = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;

/** The public page about a certificate, for people. Its days are those of the tenant's time zone. */
export function verifyPage(
  language: Language,
  certificate: VerifiedCertificate,
  timeZone: string,
): RouteResponse {
  const texts = textsIn(language);
  const { Status, Name, CourseTitle, Issuer, CompletedAt, ValidUntil, RevokedAt, Reason, ReplacedBy } =
    certificate;
  const day = (at: string) => dayIn(language, at, timeZone);
  const rows: [string, string][] = [
    [texts.course, isolated(CourseTitle)],
    [texts.issuedBy, isolated(Issuer)],
    [texts.completed, day(CompletedAt)],
    [texts.validUntil, ValidUntil === null ? texts.unlimited : day(ValidUntil)],
    [texts.number, `<span class="number">${certificate.Number}</span>`],
    ...(Reason === null ? [] : [[texts.reason, isolated(Reason)] as [string, string]]),
  ];
  const state =
    RevokedAt === null ? texts.status[Status] : `${texts.status[Status]}. ${texts.revoked(day(RevokedAt))}.`;
  const newer =
    ReplacedBy === null
      ? ''
      : `<p class="more"><a href="${path`/verify/${ReplacedBy}`}">${texts.newer}</a></p>`;
  return pageOf(
    language,
    texts.status[Status],
    `<h1 class="state ${Status}"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${marks[Status]}"/></svg>${state}</h1>
<div class="body"><p class="name">${Name === null ? texts.erased : isolated(Name)}</p>
<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>${newer}${dropZone(language)}<p class="more"><a href="/verify">${texts.check.another}</a></p></div>`,
  );
}

export function unknownNumberPage(language: Language): RouteResponse {
  const { notFound, check } = textsIn(language);
  const link = { text: check.another, address: '/verify' };
  return rejectionPage({ status: 404, language, ...notFound, link, framing: "'none'" });
}
