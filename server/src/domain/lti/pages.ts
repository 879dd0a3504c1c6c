import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../http/routes.ts';
import type { Context } from '../../infra/context/context.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { plainPage } from '../sign-in/sign-in-page.ts';
import { noBranding } from '../tenants/branding.ts';
import type { LaunchProblem } from './schemas.ts';
import type { State } from './state.ts';
import { textsIn } from './texts.ts';

/** The pages open in frames of platforms, and some platforms check the windows that they opened. */
function framed(page: RouteResponse, more: Record<string, string> = {}): RouteResponse {
  return { ...page, headers: { ...page.headers, 'Cross-Origin-Opener-Policy': 'unsafe-none', ...more } };
}

const base = (request: FastifyRequest) => ({
  language: languageOf(request),
  branding: noBranding,
  framing: '*',
});

const statusOf: Partial<Record<LaunchProblem, number>> = {
  unknown_platform: 404,
  several_clients: 400,
  state_missing: 400,
  malformed: 400,
  no_course: 400,
  no_user: 400,
  keys_unreachable: 502,
  unknown_deployment: 403,
  not_enrolled: 403,
  suspended: 403,
};

export const statusOfProblem = (problem: LaunchProblem): number => statusOf[problem] ?? 401;

/** Says in one sentence what to do. The code lets an administrator find the case in the guide. */
export function problemPage(request: FastifyRequest, problem: LaunchProblem): RouteResponse {
  const texts = textsIn(languageOf(request));
  const more = `<p><small>${problem}</small></p>`;
  return framed(
    plainPage({
      ...base(request),
      status: statusOfProblem(problem),
      title: texts.title,
      text: texts[problem],
      more,
    }),
  );
}

/** For administrators who try the URL that they are to enter in their platform. */
export function byHandPage(request: FastifyRequest): RouteResponse {
  const { byHand: title, byHandText: text } = textsIn(languageOf(request));
  return framed(plainPage({ ...base(request), status: 400, title, text }));
}

/** Closes itself in the platform after a registration, or says what went wrong (LTI Dynamic Registration 1.0, 3.6). */
export function registrationPage(
  request: FastifyRequest,
  { isDone, detail }: { isDone: boolean; detail: string },
): RouteResponse {
  const texts = textsIn(languageOf(request));
  const close = `(opener||parent).postMessage({subject:'org.imsglobal.lti.close'},'*')`;
  return framed(
    plainPage({
      ...base(request),
      status: isDone ? 200 : 400,
      title: isDone ? texts.registered : texts.notRegistered,
      text: isDone ? texts.registeredText.replace('{name}', detail) : texts.notRegisteredText,
      more: isDone || detail === 'link' ? '' : `<p lang="en"><small>${escapeHtml(detail)}</small></p>`,
      ...(isDone && { script: close }),
    }),
  );
}

/** The login is repeated in a window, where the browser keeps our cookie. */
export function windowPage(ctx: Context, request: FastifyRequest, login: string): RouteResponse {
  const { windowTitle: title, windowText: text, open } = textsIn(languageOf(request));
  const address = `${ctx.config.baseUrl}/lti/login?${login}&lectern_window=true`;
  const more = `<div class="links"><a class="button" target="_blank" rel="noopener" href="${escapeHtml(address)}">${open}</a></div>`;
  return framed(plainPage({ ...base(request), status: 401, title, text, more }));
}

/** Messages of "LTI Client Side postMessages": the platform keeps a value for the frame of a tool. */
const up = `const d=document.querySelector('[data-key]').dataset;const above=parent!==self?parent:opener;
const ask=(message)=>{const frame=d.target==='_parent'?above:above.frames[d.target]||above;frame.postMessage(message,d.origin)};
const hear=(subject,then)=>addEventListener('message',(event)=>{const m=event.data;
if(event.origin===d.origin&&m&&m.subject===subject&&m.message_id===d.key)then(m)});`;

const putScript = `${up}const next=()=>location.replace(document.querySelector('a').href);setTimeout(next,1500);
hear('lti.put_data.response',next);try{ask({subject:'lti.put_data',message_id:d.key,key:d.key,value:d.value})}catch{next()}`;

const getScript = `${up}const form=document.querySelector('form');const send=(value)=>{form.elements.proof.value=value||'';form.submit()};
const late=setTimeout(send,1500,'');hear('lti.get_data.response',(m)=>{clearTimeout(late);send(m.value)});
try{ask({subject:'lti.get_data',message_id:d.key,key:d.key})}catch{send('')}`;

const attributes = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('');

const keyOf = ({ nonce }: State) => `lectern_${nonce.slice(0, 20)}`;

/** Puts a secret into the platform's storage, and then goes on to the platform. */
export function storePage(
  request: FastifyRequest,
  input: { state: State; secret: string; location: string; cookie: string },
): RouteResponse {
  const { state, secret, location, cookie } = input;
  const { working, continue: go } = textsIn(languageOf(request));
  const data = attributes({
    key: keyOf(state),
    value: secret,
    target: state.storage?.target ?? '',
    origin: new URL(location).origin,
  });
  const more = `<div class="links"${data}><a href="${escapeHtml(location)}">${go}</a></div>`;
  const page = plainPage({
    ...base(request),
    status: 200,
    title: working,
    text: '',
    more,
    script: putScript,
  });
  return framed(page, { 'Set-Cookie': cookie });
}

const hidden = (name: string, value: string) =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** Reads the secret back, and sends the launch again with it. */
export function provePage(
  ctx: Context,
  request: FastifyRequest,
  input: { state: State; origin: string; token: string; idToken: string },
): RouteResponse {
  const { working, continue: go } = textsIn(languageOf(request));
  const data = attributes({
    key: keyOf(input.state),
    target: input.state.storage?.target ?? '',
    origin: input.origin,
  });
  const fields = [
    hidden('id_token', input.idToken),
    hidden('state', input.token),
    hidden('proof', ''),
    hidden('tried', 'true'),
  ];
  const more = `<form method="post" action="/lti/launch"${data}>${fields.join('')}<button>${go}</button></form>`;
  return framed(
    plainPage({
      ...base(request),
      status: 200,
      title: working,
      text: '',
      more,
      script: getScript,
      formAction: `'self' ${ctx.config.contentUrl}`,
    }),
  );
}
