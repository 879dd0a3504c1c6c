import Type from 'typebox';
import { forTenant } from '../../../db/transaction.ts';
import { route } from '../../../http/routes.ts';
import { enterPlayer } from '../../../infra/calls/limits.ts';
import { readLaunchKey } from '../../enrolments/record/record.ts';
import { brokenLink, click } from './click.ts';
import { languageOf } from './page-texts.ts';
import { parametersBeforeReturn, readReturnUrl, unescapeLink } from './return-url.ts';
import { playerOf } from './tokens.ts';

/** Mail programs and people change the case of a path. */
export function rewriteLaunch(url: string): string {
  return url.replace(/^\/launch\/?(?=\?|$)/i, '/launch');
}

/**
 * Handles a click on a LaunchURL. It writes nothing, so mail scanners that follow the link do no harm. Only the links on
 * the page of a path, which name a part, enrol the learner on it.
 */
export const launchRoute = route('GET /launch', 'launch', {
  summary: 'Start a course (the LaunchURL of an enrolment)',
  description:
    'The link that the learner opens. It can be opened any number of times. Each time, the rules that `explain` reports are evaluated.',
  tag: 'Launch',
  access: 'anyone',
  scope: null,
  page: true,
  // Untyped, because a raw returnURL may contain parameters with the same names. The link must
  // still work.
  query: Type.Object(
    {
      enrolment: Type.Optional(Type.Unsafe<unknown>({ description: 'Part of the LaunchURL.' })),
      key: Type.Optional(Type.Unsafe<unknown>({ description: 'Part of the LaunchURL.' })),
      review: Type.Optional(
        Type.Unsafe<unknown>({
          description:
            'true opens the latest attempt for review if no new one can start and the rules for attempts permit it (`Review`). It never starts an attempt.',
        }),
      ),
      part: Type.Optional(
        Type.Unsafe<unknown>({
          description:
            'For a path: the CourseID of the course to open. Without it, the page of the path is shown, which has these links.',
        }),
      ),
      signedIn: Type.Optional(
        Type.Unsafe<unknown>({ description: 'Added by the service after a sign-in that it required.' }),
      ),
      returnURL: Type.Optional(
        Type.Unsafe<unknown>({
          description:
            'Where to send the learner afterwards: an http(s) URL, percent-encoded, or raw as the last parameter with its own ? and &.',
        }),
      ),
    },
    { additionalProperties: true },
  ),
  responses: {
    200: {
      description:
        'The page of a path, or a page in a frame from which the learner signs in, if a sign-in is required.',
      type: 'text/html',
    },
    303: {
      description: 'Redirects to the player on the content origin, or to the sign-in if one is required.',
    },
    403: { description: 'A page that tells the learner why the course cannot be opened.', type: 'text/html' },
    404: { description: 'A page that says that the launch link is not valid.', type: 'text/html' },
  },
  handle: async (ctx, { request }) => {
    const address = unescapeLink(request.raw.url ?? '');
    const own = new URLSearchParams(address.slice(address.indexOf('?') + 1));
    const handle = readLaunchKey(ctx, own.get('enrolment') ?? '', own.get('key') ?? '');
    if (handle) enterPlayer(ctx, request, playerOf(handle), 'page');
    const language = languageOf(request);
    if (!handle) return brokenLink({ language, back: null, framing: "'none'" });
    const wantsReview = parametersBeforeReturn(address).get('review') === 'true';
    const proof = parametersBeforeReturn(address).get('signedIn');
    const part = parametersBeforeReturn(address).get('part');
    const requested = readReturnUrl(address);
    const clicked = { language, handle, requested, wantsReview, part, proof, request };
    return click(forTenant(ctx, handle.tenantId), clicked);
  },
});
