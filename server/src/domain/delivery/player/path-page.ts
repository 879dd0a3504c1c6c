import { createHash } from 'node:crypto';
import type { RouteResponse } from '../../../http/routes.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import type { ShownPart, ShownPath } from '../../paths/explain-parts.ts';
import type { StepState } from '../../paths/roll-up.ts';
import { type Language, textsIn } from './page-texts.ts';
import { closingText, pathTexts } from './path-texts.ts';
import { refusalText } from './refusals.ts';
import { forOpeners, pageColours } from './rejection-page.ts';

const style = `${pageColours}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{width:min(40rem,100vw - 2rem);margin:2rem auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px}
h1{margin:0 0 .4rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}h2{margin:1.6rem 0 .4rem;font-size:1rem}
h2 span{color:var(--muted);font-weight:400}p{margin:0 0 .8rem;color:var(--muted)}.state{color:var(--text)}
progress{display:block;width:100%;height:.6rem;margin:.6rem 0 .4rem;border:0;border-radius:1rem;overflow:hidden;background:var(--line);color:var(--accent);accent-color:var(--accent);appearance:none}
progress::-webkit-progress-bar{background:var(--line)}progress::-webkit-progress-value{background:var(--accent);border-radius:1rem}progress::-moz-progress-bar{background:var(--accent)}
a{color:var(--accent)}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.next{display:inline-block;margin:.6rem 0 .2rem;padding:.7rem 1.1rem;background:var(--accent);color:var(--card);border-radius:10px;font-weight:600;text-decoration:none;overflow-wrap:anywhere}
ol,ul{margin:0;padding:0;list-style:none}ul li{display:grid;grid-template-columns:1.5rem 1fr auto;gap:.1rem .7rem;align-items:baseline;padding:.7rem 0;border-top:1px solid var(--line)}
ul li>*{overflow-wrap:anywhere}.title{font-weight:600}.closed .title{font-weight:400;color:var(--muted)}.say{color:var(--muted);font-size:.9rem;text-align:right}
.why{grid-column:2/-1;color:var(--muted);font-size:.9rem}.mark{width:1rem;height:1rem;align-self:center;border:2px solid var(--muted);border-radius:50%}
.completed .mark{background:var(--accent);border-color:var(--accent)}.in_progress .mark,.failed .mark{border-color:var(--accent);background:linear-gradient(90deg,var(--accent) 50%,transparent 50%)}.closed .mark{border-style:dashed}
.leave{margin:1.8rem 0 0}@media(max-width:30rem){main{margin:1rem auto;padding:1.25rem}ul li{grid-template-columns:1.5rem 1fr}.say{grid-column:2;text-align:left}.next{display:block;text-align:center}}
@media(forced-colors:active){.mark{forced-color-adjust:none}}`;

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;

type Page = {
  language: Language;
  framing: string;
  back: string | null;
  /** The address that opens a course of the path. */
  linkTo: (courseId: string) => string;
  /** In which due dates are days. */
  timeZone: string;
  /** The course that the learner wanted to open is closed. */
  isRefused: boolean;
};

function reasonOf({ Rule, Detail, launch, waitsFor }: ShownPart, language: Language): string | null {
  if (Rule === null) return null;
  if (waitsFor !== null) return pathTexts[language].earlierStep(waitsFor);
  return launch ? refusalText(language, launch).reason : (closingText(language, Rule) ?? Detail);
}

function partHtml(part: ShownPart, { language, linkTo }: Page): string {
  const texts = pathTexts[language];
  const title = escapeHtml(part.CourseTitle);
  // What was completed elsewhere cannot be opened here.
  const hasLink = part.Status !== 'closed' && (part.Status !== 'completed' || part.EnrollID !== null);
  const name = !hasLink ? title : `<a href="${escapeHtml(linkTo(part.CourseID))}">${title}</a>`;
  const seen = Math.round(part.progress);
  const say =
    part.Status === 'in_progress' && seen > 0
      ? `${texts.states.in_progress}, ${texts.percent(seen)}`
      : texts.states[part.Status];
  const reason = reasonOf(part, language);
  const why = reason === null ? '' : `<span class="why">${escapeHtml(reason)}</span>`;
  return `<li class="${part.Status}"><span class="mark" aria-hidden="true"></span><span class="title">${name}</span><span class="say">${say}</span>${why}</li>`;
}

function stepHtml(step: StepState, shown: readonly ShownPart[], page: Page): string {
  const texts = pathTexts[page.language];
  const { number, Need, CourseIDs, Optional } = step;
  const notes = [
    ...(Need < CourseIDs.length ? [texts.anyOf(Need, CourseIDs.length)] : []),
    ...(Optional ? [texts.optional] : []),
  ];
  const note = notes.length === 0 ? '' : ` <span>${notes.join(', ')}</span>`;
  const parts = shown.filter(({ Step }) => Step === number).map((part) => partHtml(part, page));
  return `<li><h2>${texts.step(number)}${note}</h2><ul>${parts.join('')}</ul></li>`;
}

function nextHtml({ next, state }: ShownPath, { language, linkTo }: Page): string {
  const texts = pathTexts[language];
  if (state.result.Completion === 'completed') return `<p class="state">${texts.completed}</p>`;
  if (!next) return `<p class="state">${texts.waiting}</p>`;
  const text =
    { in_progress: texts.continue, failed: texts.again }[next.Status as 'in_progress' | 'failed'] ??
    texts.start;
  return `<a class="next" href="${escapeHtml(linkTo(next.CourseID))}">${escapeHtml(text(next.CourseTitle))}</a>`;
}

/** The page of a path: the course that is due next, and all courses with their state. It needs no script. */
export function pathPage(shown: ShownPath, page: Page): RouteResponse {
  const { language, back, framing, isRefused } = page;
  const texts = pathTexts[language];
  const { path, state } = shown;
  const required = state.steps.filter(({ Optional }) => !Optional);
  const needed = required.reduce((total, { Need }) => total + Need, 0);
  const done = required.reduce(
    (total, { Need, parts }) => total + Math.min(Need, parts.filter(({ isDone }) => isDone).length),
    0,
  );
  const isCompleted = state.result.Completion === 'completed';
  const dates = [
    ...(path.due_at && !isCompleted ? [texts.due(path.due_at, page.timeZone)] : []),
    ...(path.expires_at ? [texts.ends(path.expires_at)] : []),
  ];
  const title = escapeHtml(path.course_title);
  const count = texts.progress(done, needed);
  const leave = back
    ? `<p class="leave"><a href="${escapeHtml(back)}">${textsIn(language).back}</a></p>`
    : '';
  const body = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1>${dates.map((date) => `<p>${escapeHtml(date)}</p>`).join('')}
<progress max="${needed}" value="${done}" aria-label="${count}"></progress><p>${count}</p>
${isRefused ? `<p class="state" role="alert">${texts.closedNow}</p>` : ''}${nextHtml(shown, page)}
<ol aria-label="${texts.courses}">${state.steps.map((step) => stepHtml(step, shown.shown, page)).join('')}</ol>${leave}</main></body></html>`;
  return {
    status: isRefused ? 403 : 200,
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...forOpeners,
      'Content-Security-Policy': `${policy}; frame-ancestors ${framing}`,
    },
  };
}
