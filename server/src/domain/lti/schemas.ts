import Type from 'typebox';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { EnrollID } from '../enrolments/record/schemas.ts';
import { LoginID } from '../users/schemas.ts';

export const maxDeployments = 1_000;

const fields = {
  Name: Text(100, { minLength: 1, description: 'Shown in the console.', examples: ['Moodle of Acme'] }),
  Issuer: Text(255, {
    minLength: 1,
    description: 'The issuer (`iss`), exactly as the platform shows it, also called platform ID.',
    examples: ['https://moodle.example.com'],
  }),
  ClientID: Text(255, {
    minLength: 1,
    description: 'The client ID that the platform gave to Lectern.',
    examples: ['x9hVqDpwU2WbiQX'],
  }),
  DeploymentIDs: Type.Array(Text(255, { minLength: 1 }), {
    minItems: 1,
    maxItems: maxDeployments,
    uniqueItems: true,
    description:
      'The deployments of Lectern on the platform that belong to your tenant. A deployment of a client belongs to one tenant only.',
    examples: [['1']],
  }),
  AuthURL: Address('The URL for authentication requests (OIDC), which the browser opens.'),
  TokenURL: Address('The URL for access tokens.'),
  JWKSURL: Address("The URL of the platform's public keys."),
};

const memberModes = ['off', 'users', 'enrolments'] as const;
const Members = OneOf(memberModes, {
  description:
    'What the members of courses there lead to, which are read every night if the platform allows it (NRPS 2.0). `enrolments` (default): learners become users here, and are enrolled on the courses that were opened in their course there. `users`: they become users only. `off`: members are not read.',
});

export const PlatformID = Type.String({ format: 'uuid', description: 'Opaque.' });
export const platformParams = Type.Object({ PlatformID: Text(255) });

export const Platform = Fields(
  {
    PlatformID,
    ...fields,
    Members,
    Tool: Fields(
      {
        LoginURL: Type.String({ description: 'Initiate login URL.' }),
        LaunchURL: Type.String({ description: 'Tool URL, redirect URI and content selection URL.' }),
        JWKSURL: Type.String({ description: 'Public keyset URL.' }),
      },
      { description: 'What to enter in the platform.' },
    ),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'Platform', description: 'A learning platform (LMS) that launches courses by LTI 1.3.' },
);
export type Platform = Type.Static<typeof Platform>;

export const NewPlatform = Fields({ ...fields, Members: Type.Optional(Members) }, { title: 'NewPlatform' });
export type NewPlatform = Type.Static<typeof NewPlatform>;

export const PlatformChange = Fields(Type.Partial(Type.Object({ ...fields, Members })).properties, {
  title: 'PlatformChange',
});
export type PlatformChange = Type.Static<typeof PlatformChange>;

/** Why a launch was rejected. Each has its sentence for the person in `texts.ts`. */
export const launchProblems = [
  'unknown_platform',
  'several_clients',
  'state_missing',
  'state_expired',
  'other_browser',
  'cookie_blocked',
  'platform_error',
  'keys_unreachable',
  'key_not_found',
  'bad_signature',
  'bad_algorithm',
  'token_expired',
  'clock_off',
  'wrong_issuer',
  'wrong_audience',
  'wrong_nonce',
  'replayed',
  'unknown_deployment',
  'malformed',
  'no_user',
  'no_course',
  'not_enrolled',
  'suspended',
] as const;
export type LaunchProblem = (typeof launchProblems)[number];

export const PlatformLaunch = Fields(
  {
    LaunchID: Type.String({ format: 'uuid', description: 'Opaque.' }),
    LaunchedAt: Instant(),
    Message: OneOf(['launch', 'deep_link', 'copy', 'unknown'], {
      description:
        '`launch`: a course was opened. `deep_link`: courses were chosen for the platform. `copy`: a course of the platform was copied there; Detail says which.',
    }),
    DeploymentID: Nullable(Text(255)),
    Problem: Nullable(
      OneOf(launchProblems, {
        title: 'PlatformLaunchProblem',
        description: 'Why it was rejected; null if it succeeded.',
      }),
    ),
    Detail: Nullable(Text(500, { description: 'What exactly was wrong, or what was copied.' })),
    LoginID: Nullable(LoginID),
    CourseID: Nullable(CourseID),
    EnrollID: Nullable(EnrollID),
    ResourceLinkID: Nullable(Text(255, { description: 'The place in the platform.' })),
  },
  { title: 'PlatformLaunch', description: 'An attempt to open this service from a platform.' },
);
export type PlatformLaunch = Type.Static<typeof PlatformLaunch>;

const Sent = (description: string) => Type.String({ description });

/** Platforms may send further parameters. Repeated ones are ignored. */
export const LoginForm = Type.Object(
  {
    iss: Sent('The issuer of the platform.'),
    login_hint: Sent('The person, for the platform only.'),
    target_link_uri: Sent('What is to be opened.'),
    client_id: Type.Optional(Sent('The client ID of this service at the platform.')),
    lti_deployment_id: Type.Optional(Sent('The deployment.')),
    lti_message_hint: Type.Optional(Sent('The message, for the platform only.')),
    lti_storage_target: Type.Optional(Sent('The frame that stores data for tools without cookies.')),
  },
  { additionalProperties: true, title: 'LtiLoginForm' },
);

export const LaunchForm = Type.Object(
  { id_token: Sent('The message, signed by the platform.'), state: Sent('From the login.') },
  { additionalProperties: true, title: 'LtiLaunchForm' },
);

export const SelectionForm = Type.Object(
  { selection: Sent('Who chooses courses, and for which place; from the page.') },
  { additionalProperties: true, title: 'LtiSelectionForm' },
);
