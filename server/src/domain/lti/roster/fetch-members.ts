import type { TenantContext } from '../../../infra/context/context.ts';
import { checkedFetch } from '../../events/webhooks/checked-fetch.ts';
import { accessToken, forgetToken } from '../access-token.ts';
import { detailsOf, loginIdOf } from '../launch.ts';

/** A learner, as `PersonRow` of the bulk calls has them. */
export type Member = { LoginID: string; FirstName?: string; LastName?: string; Email?: string };

const pageSize = 200;
const maxPages = 500;
const maxMembers = 50_000;
const pageBytes = 8 * 1024 ** 2;
const mediaType = 'application/vnd.ims.lti-nrps.v2.membershipcontainer+json';

/** As strict as imports are, which refuse the whole row. */
const email = /^[^\s@,;<>"()]+@[^\s@,;<>"().]+(\.[^\s@,;<>"().]+)+$/;

/** NRPS 2.0 §2.2: roles are URIs or, in the context vocabulary, simple names. */
const isLearner = (roles: unknown) =>
  Array.isArray(roles) && roles.some((role) => /(?:^|[#/])(?:Learner|Student)$/.test(String(role)));

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

function memberOf(issuer: string, sent: unknown): Member | null {
  const person = Object(sent) as Record<string, unknown>;
  const subject = typeof person.user_id === 'number' ? String(person.user_id) : textOf(person.user_id);
  const isActive = person.status === undefined || person.status === 'Active';
  if (subject === null || !isActive || !isLearner(person.roles)) return null;
  const given = textOf(person.given_name);
  const { Email, ...names } = detailsOf({
    givenName: given,
    familyName: textOf(person.family_name ?? (given === null ? person.name : null)),
    email: textOf(person.email),
  });
  return { LoginID: loginIdOf(issuer, subject), ...names, ...(Email && email.test(Email) && { Email }) };
}

/** The URL with `rel="next"` (RFC 8288), which must have the origin of the first page, because it gets the token. */
function nextOf(link: string | null, url: URL): URL | null {
  const found = link
    ?.split(/,(?=\s*<)/)
    .map((one) => /^\s*<([^>]*)>(.*)$/s.exec(one))
    .find((one) => /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(one?.[2] ?? ''));
  if (!found || !URL.canParse(found[1] ?? '', url)) return null;
  const next = new URL(found[1] ?? '', url);
  if (next.origin !== url.origin) throw new Error(`The next page is on another host, ${next.host}.`);
  return next;
}

async function readPage(ctx: TenantContext, platformId: string, url: URL): Promise<Response> {
  const attempt = async () => {
    const token = await accessToken(ctx, platformId, 'members');
    const headers = { accept: mediaType, authorization: `Bearer ${token}` };
    return checkedFetch(ctx.config)(url.href, { method: 'GET', headers, bytes: pageBytes });
  };
  const reply = await attempt();
  if (reply.status !== 401) return reply;
  forgetToken(ctx, platformId, 'members');
  return attempt();
}

const reasons: Record<number, string> = {
  401: 'The platform does not accept the access token. Allow the service for names and roles there.',
  403: 'The platform does not let this tool read the members. Allow the service for names and roles there.',
  404: 'The course no longer exists in the platform.',
  410: 'The course no longer exists in the platform.',
};

/** All learners of a context, or an error that says what to do: half a list would disable the other half. */
export async function fetchMembers(
  ctx: TenantContext,
  { platformId, issuer, membersUrl }: { platformId: string; issuer: string; membersUrl: string },
): Promise<Member[]> {
  const members = new Map<string, Member>();
  const seen = new Set<string>();
  const first = new URL(membersUrl);
  if (!first.searchParams.has('limit')) first.searchParams.set('limit', String(pageSize));
  for (let url: URL | null = first; url !== null; ) {
    if (seen.has(url.href)) throw new Error('The platform sends the same page again.');
    seen.add(url.href);
    if (seen.size > maxPages) throw new Error(`The platform sends more than ${maxPages} pages.`);
    const reply = await readPage(ctx, platformId, url);
    if (reply.status !== 200)
      throw new Error(reasons[reply.status] ?? `The platform responded with status ${reply.status}.`);
    const body = Object(await reply.json().catch(() => null)) as { members?: unknown };
    if (!Array.isArray(body.members)) throw new Error('The platform did not send a list of members.');
    for (const sent of body.members) {
      const member = memberOf(issuer, sent);
      if (member) members.set(member.LoginID, member);
    }
    if (members.size > maxMembers) throw new Error(`The course has more than ${maxMembers} learners.`);
    url = nextOf(reply.headers.get('link'), url);
  }
  return [...members.values()];
}
