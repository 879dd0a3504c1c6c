import { describedEvents } from '../domain/events/document.ts';
import { cookieName } from '../domain/sign-in/cookie.ts';
import type { Interface } from '../http/describe/describe.ts';
import type { Config } from '../infra/context/config.ts';
import { fieldExamples } from './api-examples.ts';

const description = `Create users, enrol them on courses, and start the courses with a \`LaunchURL\`.

Send a key as \`Authorization: Bearer <secret>\`; a browser with a signed-in user sends its session cookie instead. Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; all codes are listed at [/docs/errors](/docs/errors). Unknown fields are rejected, so a typo cannot lose data silently.`;

const tags = {
  Access: 'Exchange a key for a short-lived access token (OAuth 2.0).',
  Users: 'The users of a tenant, identified by a LoginID that the client chooses.',
  Invitations: 'Links that let users set a password.',
  Enrolments: 'The courses that users take, with end dates and results.',
  Imports: 'Files of people and enrolments: planned, applied and undone by the service.',
  Certificates: 'What learners get for their results, and the public page that checks it.',
  'Enrolment keys': 'Keys (vouchers) that enrol the person who redeems them.',
  'Completions from elsewhere':
    'Completions from other systems, classrooms and certificates, with their evidence.',
  Requirements: 'Who must complete which course by when and how often, and who has done so.',
  Reminders: 'Who is reminded of what is due, in which words, and what managers see of their teams.',
  Sessions: "Sign-in for this service's own pages, such as the console.",
  'Identity providers': 'Sign-in with the OpenID providers of a tenant.',
  Provisioning: 'Users and groups from a directory, by SCIM 2.0 at `/scim/v2`.',
  Platforms: 'Learning platforms (LMS) that open courses by LTI 1.3.',
  Tools: 'Courses that are tools of others, launched by LTI 1.3 from the player.',
  Dispatch: 'Courses that other organisations play in their own LMS, from a small package.',
  Catalogue: 'The courses offered to a tenant.',
  Authoring: 'Courses with their enrolment options and packages. For the operator.',
  Tenants: 'Client applications and their keys. For the operator.',
  'Test tenants': 'Test your integration: move the clock, and let a robot play courses.',
  Events: 'All events, in order and without gaps.',
  Reports: 'Figures for dashboards.',
  Webhooks: "The client's endpoints for events.",
  xAPI: 'A learning record store (LRS) for xAPI 1.0.3 and 2.0, with the endpoint `/xapi`. Send X-Experience-API-Version, and a key as a bearer token or as HTTP Basic credentials with the KeyID and the secret.',
  Audit: 'Changes to access, people, results and the catalogue, and who made them.',
  Launch: 'The LaunchURL of an enrolment, which the learner opens.',
  Player:
    'Operations that the player page calls on the content origin. The ticket or session in the path is the credential. Clients do not call these.',
};

/** The parts of the OpenAPI document that do not come from operations. */
export function openapiInfo(config: Config): Interface {
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
          "The session of the operator, of an administrator for their tenant, or of a learner for their own data. Requests from other origins are rejected. Over HTTPS the cookie's name begins with __Host-.",
      },
    },
    webhooks: describedEvents,
    examples: fieldExamples,
  };
}
