import { escapeHtml } from '../../../lib/escape-html.ts';
import { aiccDriver } from './aicc-driver.ts';
import { scormDriver } from './scorm-driver.ts';
import type { DispatchStandard } from './standards.ts';
import { pageTexts } from './texts.ts';
import { xapiDriver } from './xapi-driver.ts';

const css = `html,body{margin:0;height:100%;color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}
iframe{border:0;width:100%;height:100%;display:block}[hidden]{display:none!important}
main{position:fixed;inset:0;display:grid;place-content:center;justify-items:center;gap:1rem;padding:1.5rem;text-align:center}
h1{font-size:1.25rem;margin:0;max-width:32rem}p{margin:0;max-width:32rem}
button{font:inherit;font-weight:600;padding:.6rem 1.2rem;border-radius:8px;border:1px solid currentColor;background:none;color:inherit;cursor:pointer}
#note{position:fixed;inset:auto 0 0;padding:.5rem 1rem;text-align:center;background:#8a5300;color:#fff}`;

/**
 * Opens the course in a frame, and passes results on to the LMS. A driver has `open`, which returns the learner, `put`,
 * which sends a result, and `close`, which may run while the page is closed. `seconds` is the time on this page. If the
 * browser lets the player run in a window of its own only, the result is read when the learner returns to this page.
 * An unknown result is sent as `incomplete`, as an LMS of SCORM 1.2 may take no status for completion, but never over a
 * status that the LMS has (`hasStatus`).
 */
const script = `const c=JSON.parse(document.getElementById('c').textContent);const $=(id)=>document.getElementById(id);
const t=c.texts[navigator.language.slice(0,2)]||c.texts.en;const began=Date.now();
const wait=(ms)=>new Promise((done)=>setTimeout(done,ms));const seconds=()=>Math.round((Date.now()-began)/1000);
const show=(title,text,act)=>{$('title').textContent=title;$('text').textContent=text||'';$('again').hidden=!act;$('again').onclick=act||null;
$('page').hidden=false;$('frame').hidden=true};
let driver,result=null,closed=false,left=false,line=Promise.resolve();
const put=(next)=>{if(driver.hasStatus&&next.Completion==='unknown'&&next.Success==='unknown')return line;result=next;line=line.then(async()=>{for(let n=0;result&&n<60&&!closed;n++){const now=result;
try{await driver.put(now);$('note').hidden=true;if(now===result)return}catch{$('note').hidden=false;await wait(Math.min(2000*2**n,60000))}}});return line};
const close=()=>{if(closed||!driver)return;closed=true;try{driver.close(result)}catch{}};
async function ask(learner,isQuiet){const body=new URLSearchParams({key:c.key,back:new URL('closed.html',location.href).href,learner:learner.id,
first:learner.first||'',last:learner.last||''});
for(let n=0;;n++){try{const reply=await fetch(c.url,{method:'POST',body,signal:AbortSignal.timeout(20000)});if(reply.ok)return await reply.json();
if(reply.status<500&&reply.status!==429)throw new Error()}catch{}
if(isQuiet||n>=5)return null;show(t.offline);await wait(1000*2**n)}}
async function begin(){show(t.working);try{driver=driver||makeDriver();c.learner=c.learner||await driver.open()}catch(error){return show(t.noLms)}
const opened=await ask(c.learner);if(!opened)return show(t.unreachable,'',begin);if(!opened.PlayerURL)return show(opened.Title,opened.Text);
if(opened.Result)put(opened.Result);const frame=$('frame');frame.src=opened.PlayerURL;frame.hidden=false;$('page').hidden=true;
addEventListener('message',(event)=>{const said=event.source===frame.contentWindow&&event.data&&event.data.lectern;
if(said==='result')put(event.data);if(said==='closed')lecternClosed()});
let asked=Date.now();addEventListener('focus',async()=>{if(closed||Date.now()-asked<5000)return;asked=Date.now();
const again=await ask(c.learner,true);if(again&&again.Result)put(again.Result)})}
window.lecternClosed=async()=>{if(left)return;left=true;await Promise.race([line,wait(5000)]);close();const back=driver.back&&driver.back();if(back)location.assign(back);else show(t.closed)};
$('note').textContent=t.pending;addEventListener('pagehide',close);begin();`;

const drivers: Record<DispatchStandard, string> = {
  scorm12: scormDriver,
  scorm2004: scormDriver,
  cmi5: xapiDriver,
  xapi: xapiDriver,
  aicc: aiccDriver,
};

/** JSON in a page must not end its script element. */
const jsonInPage = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

export type PageInput = { standard: DispatchStandard; title: string; url: string; key: string };

export function packagePage({ standard, title, url, key }: PageInput): string {
  const config = jsonInPage({ url, key, standard, texts: pageTexts });
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title>
<style>${css}</style></head><body><iframe id="frame" title="${escapeHtml(title)}" allow="fullscreen; autoplay" hidden></iframe>
<main id="page" role="status"><h1 id="title"></h1><p id="text"></p><button id="again" hidden>${pageTexts.en.again}</button></main><div id="note" role="status" hidden></div>
<script type="application/json" id="c">${config}</script><script>${drivers[standard]}
${script}</script></body></html>`;
}

/** The player returns to this page, in the frame. */
export const closedPage = `<!doctype html><meta charset="utf-8"><title>.</title><script>try{parent.lecternClosed()}catch{}</script>`;
