import { fieldExamples } from './interface-examples.ts';
import { describedEvents } from './modules/events/document.ts';
import { cookieName } from './modules/people/cookie.ts';
import type { Config } from './platform/config.ts';
import type { Interface } from './platform/http/describe.ts';

const description = `Create users, enrol them on courses, and start the courses by \`LaunchURL\`.

Send a key as \`Authorization: Bearer <secret>\`; a browser in which somebody is signed in sends its session cookie instead. Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; all codes are listed at [/docs/errors](/docs/errors). Unknown fields are rejected, so a typo never loses data.`;

const tags = {
  Access: 'Short-lived access tokens in exchange for a key (OAuth 2.0).',
  Users: 'The people of a tenant, identified by a LoginID that the client chooses.',
  Enrolments: 'Who takes which course, until when, and with what result.',
  'Enrolment keys': 'Keys (vouchers) that are bought by one person and redeemed by another.',
  Sessions: 'Sign-in for the pages of this service, such as the console.',
  Catalogue: 'The courses that a tenant is offered.',
  Authoring: 'Courses, their enrolment options and packages. For the operator.',
  Tenants: 'Client applications and their keys. For the operator.',
  Events: 'The log of what happened, in order and without gaps.',
  Reports: 'Figures for dashboards.',
  Webhooks: 'Endpoints of the client to which events are sent.',
  Audit: 'Who changed access, people, results and the catalogue.',
  Launch: 'What a learner opens: the LaunchURL of an enrolment.',
  Player:
    'What the player page calls at the content origin. The ticket or session in the path is the credential. Clients do not call these.',
};

/** What the OpenAPI document says beside the operations. */
export function aboutInterface(config: Config): Interface {
  return {
    info: {
      title: 'Lectern',
      version: '1',
      description,
      contact: { name: 'The operator of this service', url: `${config.baseUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    baseUrl: config.baseUrl,
    contentUrl: config.contentUrl,
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: 'The secret of a key, or an access token.' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: cookieName({ config }),
        description:
          'The session of the operator, of an administrator for their tenant, or of a learner for their own data. Requests from other origins are rejected. Over HTTPS the name of the cookie begins with __Host-.',
      },
    },
    webhooks: describedEvents,
    examples: fieldExamples,
  };
}
