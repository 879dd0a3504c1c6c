import Type from 'typebox';
import { hacpAnswer } from '../../../../../../standards/aicc/hacp.ts';
import { storageLimits } from '../../../../../../standards/storage-limits.ts';
import { type RouteResponse, route } from '../../../../http/routes.ts';
import { answerHacp } from './answer-hacp.ts';

/** This text gives no reason, because anyone can call the route. */
export const failedText = 'The request failed';

const example = 'command=GetParam&version=4.0&session_id=0199d3f0-0000-7000-8000-000000000001&aicc_data=';

const failed = (description: string) => ({
  description,
  type: 'text/plain',
  example: hacpAnswer({ error: 1, text: failedText }),
});

export const aiccRoutes = [
  route('POST /play/{token}/hacp', 'reportByHacp', {
    origin: 'content',
    tag: 'Player',
    access: 'session',
    scope: null,
    summary: 'Report from AICC content (the HACP AICC_URL)',
    description:
      'Accepts the CMI001 commands GetParam, PutParam, ExitAU, PutInteractions, PutObjectives, PutComments, PutPath and PutPerformance. A report counts once the response contains `error=0`. The response is `error=3` if the session has ended or the URL is unknown. Requests from any origin are allowed.',
    runTime: { token: 'session', use: 'commit' },
    bodyLimit: storageLimits.hacpBytes,
    params: Type.Object({
      token: Type.String({ description: 'Part of the URL that the content received when it was opened.' }),
    }),
    raw: {
      types: ['application/x-www-form-urlencoded'],
      description: 'The fields `command`, `version`, `session_id` (the AICC_SID) and `aicc_data`.',
      examples: { 'application/x-www-form-urlencoded': example },
    },
    ownErrors: true,
    responses: {
      200: {
        description: 'The HACP response. `error=3` means that the session has ended.',
        type: 'text/plain',
        example: hacpAnswer({ error: 0, version: '4.0' }),
      },
      400: failed('The request could not be read.'),
      413: failed(`The body is larger than ${storageLimits.hacpBytes / 1024 ** 2} MiB.`),
      415: failed('The body is compressed. Send it without `Content-Encoding`.'),
      429: failed('Too many requests. Retry after the number of seconds in `Retry-After`.'),
      500: failed('The service failed to process the request.'),
      503: failed('The service is overloaded. Retry after the number of seconds in `Retry-After`.'),
    },
    events: ['enrolment.progressed', 'enrolment.completed', 'enrolment.passed', 'enrolment.failed'],
    handle: async (ctx, { params, request }): Promise<RouteResponse> => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return { status: 200, body: await answerHacp(ctx, params.token, body), headers: plainText };
    },
  }),
];

const plainText = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
