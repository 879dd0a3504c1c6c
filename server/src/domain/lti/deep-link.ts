import type { FastifyRequest } from 'fastify';
import { forTenant } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { listOfferedCourses } from '../catalogue/offers.ts';
import type { Course } from '../catalogue/schemas.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { plainPage } from '../sign-in/sign-in-page.ts';
import { pageBranding } from '../tenants/branding.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { problemPage } from './pages.ts';
import { type PlatformRow, toolUrls } from './platforms.ts';
import { signMessage } from './sign-message.ts';
import { textsIn } from './texts.ts';
import type { Claims, DeepLinkSettings } from './verify.ts';

/** Who is choosing courses for which place. Passed through the browser, signed. */
type Selection = {
  tenantId: string;
  issuer: string;
  clientId: string;
  deploymentId: string;
  settings: DeepLinkSettings;
  at: number;
};

const selectionMinutes = 60;

const writeSelection = (ctx: Context, selection: Selection) =>
  signToken(ctx.keys, 'lti-selection', selection);

/** The cast is safe, because only we can sign a selection. */
function readSelection(ctx: Context, token: string): Selection | null {
  const selection = verifyToken(ctx.keys, 'lti-selection', token) as Selection | null;
  const isFresh = selection !== null && ctx.now().getTime() - selection.at < selectionMinutes * 60_000;
  return isFresh ? selection : null;
}

/** A course with one of its options, as a value of the form. */
type Choice = { courseId: string; durationId: string | null; title: string };

const choiceValue = ({ courseId, durationId }: Choice) => JSON.stringify([courseId, durationId]);

/** Courses with several options are listed once for each. */
function choicesOf(course: Course): Choice[] {
  const { CourseID: courseId, Title, AvailableEnrolOptions: options } = course;
  if (options.length <= 1) return [{ courseId, durationId: null, title: Title }];
  return options.map(({ DurationID, Name }) => ({
    courseId,
    durationId: DurationID,
    title: `${Title} (${Name})`,
  }));
}

const isOpen = (course: Course) => course.Status === 'published' && course.AvailableEnrolOptions.length > 0;

/** Finds ticked courses again, so that the form cannot choose what is not offered. */
async function readChosen(ctx: TenantContext, values: readonly string[]): Promise<Choice[]> {
  if (values.length === 0) return [];
  const chosen: Choice[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listOfferedCourses>> = await listOfferedCourses(ctx, {
      Limit: 100,
      ...(cursor !== null && { Cursor: cursor }),
    });
    chosen.push(
      ...page.Items.filter(isOpen)
        .flatMap(choicesOf)
        .filter((one) => values.includes(choiceValue(one))),
    );
    cursor = page.NextCursor;
  } while (cursor !== null && chosen.length < values.length);
  return chosen;
}

const css = `main{width:min(40rem,100vw - 2rem)}form{display:grid;gap:.9rem}.find{display:flex;gap:.6rem}
input[type=search]{flex:1;min-width:0;padding:.6rem .8rem;border:1px solid var(--line);border-radius:8px;background:var(--ground);color:var(--text);font:inherit}
ul{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:8px}li+li{border-top:1px solid var(--line)}
label{display:flex;gap:.7rem;align-items:baseline;padding:.65rem .8rem;overflow-wrap:anywhere;cursor:pointer}h2{margin:0;font-size:1rem}
button.quiet{background:none;color:var(--accent);border:1px solid var(--line)}input:focus-visible{outline:3px solid var(--text);outline-offset:2px}`;

async function catalogue(
  ctx: TenantContext,
  request: FastifyRequest,
  input: { selection: Selection; search: string; ticked: readonly string[] },
): Promise<RouteResponse> {
  const { selection, search, ticked } = input;
  const language = languageOf(request);
  const texts = textsIn(language);
  const { Items } = await listOfferedCourses(ctx, { Limit: 50, ...(search !== '' && { Search: search }) });
  const found = Items.filter(isOpen).flatMap(choicesOf);
  const shown = new Set(found.map(choiceValue));
  const others = await readChosen(
    ctx,
    ticked.filter((value) => !shown.has(value)),
  );
  const type = selection.settings.accept_multiple ? 'checkbox' : 'radio';
  const row = (choice: Choice) => {
    const value = choiceValue(choice);
    const checked = ticked.includes(value) ? ' checked' : '';
    return `<li><label><input type="${type}" name="course" value="${escapeHtml(value)}"${checked}><span>${escapeHtml(choice.title)}</span></label></li>`;
  };
  const list = (choices: readonly Choice[]) => `<ul>${choices.map(row).join('')}</ul>`;
  const grade = selection.settings.accept_lineitem
    ? `<label><input type="checkbox" name="grade" value="true" checked><span>${texts.grade}</span></label>`
    : '';
  const more = `<form method="post" action="/lti/deep-link"><input type="hidden" name="selection" value="${writeSelection(ctx, selection)}">
<div class="find"><input type="search" name="search" value="${escapeHtml(search)}" aria-label="${texts.search}"><button class="quiet" name="action" value="search">${texts.search}</button></div>
${found.length === 0 ? `<p>${texts.nothing}</p>` : list(found)}${others.length === 0 ? '' : `<h2>${texts.chosen}</h2>${list(others)}`}
${grade}<button name="action" value="add">${texts.add}</button></form>`;
  const page = plainPage({
    status: 200,
    language,
    branding: await pageBranding(ctx, ctx.tenantId),
    title: texts.pickTitle,
    text: texts.pickText,
    more,
    css,
    framing: '*',
  });
  return { ...page, headers: { ...page.headers, 'Cross-Origin-Opener-Policy': 'unsafe-none' } };
}

/** The catalogue, in which a teacher chooses courses for the platform. */
export function selectionPage(
  ctx: TenantContext,
  request: FastifyRequest,
  { platform, claims }: { platform: PlatformRow; claims: Claims },
): Promise<RouteResponse> {
  const selection: Selection = {
    tenantId: ctx.tenantId,
    issuer: platform.issuer,
    clientId: platform.client_id,
    deploymentId: claims.deploymentId,
    settings: claims.settings as DeepLinkSettings,
    at: ctx.now().getTime(),
  };
  return catalogue(ctx, request, { selection, search: '', ticked: [] });
}

/** Deep linking 2.0, 3.2: without a line item, the platform makes no grade column. */
function contentItem(ctx: Context, choice: Choice, hasGrade: boolean) {
  const { courseId, durationId, title } = choice;
  const names = { course: courseId, ...(durationId !== null && { option: durationId }) };
  return {
    type: 'ltiResourceLink',
    title,
    url: `${toolUrls(ctx).launch}?${new URLSearchParams(names)}`,
    custom: names,
    ...(hasGrade && { lineItem: { scoreMaximum: 100, label: title, resourceId: courseId } }),
  };
}

const sendScript = `document.querySelector('form').submit()`;

async function sendItems(
  ctx: TenantContext,
  request: FastifyRequest,
  { selection, items }: { selection: Selection; items: object[] },
): Promise<RouteResponse> {
  const language = languageOf(request);
  const texts = textsIn(language);
  const { settings, issuer, clientId, deploymentId } = selection;
  const claim = (name: string) => `https://purl.imsglobal.org/spec/lti/claim/${name}`;
  const own = (name: string) => `https://purl.imsglobal.org/spec/lti-dl/claim/${name}`;
  const token = await signMessage(ctx, {
    issuer: clientId,
    audience: issuer,
    claims: {
      [claim('deployment_id')]: deploymentId,
      [claim('message_type')]: 'LtiDeepLinkingResponse',
      [claim('version')]: '1.3.0',
      [own('content_items')]: items,
      ...(settings.data !== undefined && { [own('data')]: settings.data }),
    },
  });
  const more = `<form method="post" action="${escapeHtml(settings.deep_link_return_url)}"><input type="hidden" name="JWT" value="${token}"><button>${texts.continue}</button></form>`;
  const page = plainPage({
    status: 200,
    language,
    branding: await pageBranding(ctx, ctx.tenantId),
    title: texts.sent,
    text: '',
    more,
    script: sendScript,
    framing: '*',
    // The platform may redirect to any of its hosts.
    formAction: '* http: https:',
  });
  return { ...page, headers: { ...page.headers, 'Cross-Origin-Opener-Policy': 'unsafe-none' } };
}

const listOf = (form: Form, name: string): string[] =>
  [form[name]].flat().filter((value) => typeof value === 'string');

/** A search in the catalogue, or the end of the choice: the platform gets the courses as resource links. */
export async function chooseCourses(
  ctx: Context,
  request: FastifyRequest,
  form: Form,
): Promise<RouteResponse> {
  const selection = readSelection(ctx, fieldOf(form, 'selection'));
  if (!selection) return problemPage(request, 'state_expired');
  const own = forTenant(ctx, selection.tenantId);
  const tenant = await knownTenant.get(ctx, own.tenantId);
  if (!tenant || tenant.Status === 'suspended') return problemPage(request, 'suspended');
  const ticked = listOf(form, 'course');
  const chosen = fieldOf(form, 'action') === 'add' ? await readChosen(own, ticked) : [];
  if (chosen.length === 0)
    return catalogue(own, request, { selection, search: fieldOf(form, 'search').slice(0, 100), ticked });
  const { accept_multiple, accept_lineitem } = selection.settings;
  const some = accept_multiple ? chosen : chosen.slice(0, 1);
  const hasGrade = accept_lineitem === true && fieldOf(form, 'grade') === 'true';
  const items = some.map((choice) => contentItem(ctx, choice, hasGrade));
  return sendItems(own, request, { selection, items });
}
