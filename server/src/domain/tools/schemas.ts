import Type from 'typebox';
import { Address, Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID, courseStatuses } from '../catalogue/schemas.ts';

export const shared = ['name', 'email'] as const;

const url = 'Shown by the tool, or by its documentation.';

const fields = {
  Title: Text(500, { minLength: 1, description: 'The title of the course. Default: the CourseID.' }),
  Status: OneOf(courseStatuses, { description: 'The status of the course. Default: published.' }),
  LoginURL: Address(`The URL that starts a login (OIDC third-party initiated login). ${url}`),
  TargetLinkURI: Address(
    'What opens: the launch URL of the tool, or of one of its contents (target link URI).',
  ),
  RedirectURIs: Type.Array(Address('A redirect URI.'), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'Where the tool may receive launches. Default: the TargetLinkURI.',
    examples: [['https://tool.example.com/launch']],
  }),
  JWKSURL: Nullable(
    Address("The URL of the tool's public keys; null if it has none. Scores and chosen contents need keys."),
  ),
  PublicKey: Nullable(
    Text(4_000, {
      description:
        'The public RSA key of a tool that has no JWKSURL, in PEM. Send either; the other one becomes null.',
    }),
  ),
  Custom: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }), Text(2_000), {
    maxProperties: 50,
    description: 'Custom parameters that each launch has.',
    examples: [{ chapter: '3' }],
  }),
  Shares: Type.Array(OneOf(shared), {
    uniqueItems: true,
    maxItems: shared.length,
    description:
      'What the tool learns about learners besides an ID that only this tenant uses. Default: nothing.',
    examples: [['name']],
  }),
  OwnWindow: Type.Boolean({
    description:
      'true: the tool opens in a window of its own, for tools that refuse to be shown in frames. Default: false.',
  }),
  PassingScore: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'From this score of 100 on, a graded learner has passed, below it failed. Default: null, so that scores only count as scores.',
      examples: [80],
    }),
  ),
};

const uuid = Type.String({ format: 'uuid' });

/** What the tool asks for when it registers a platform. */
const Registration = Fields(
  {
    Issuer: Type.String({ description: 'Issuer, also called platform ID.' }),
    ClientID: uuid,
    DeploymentID: Type.String(),
    AuthURL: Type.String({ description: 'OIDC authentication URL.' }),
    TokenURL: Type.String({ description: 'Access token URL, which is also the audience of assertions.' }),
    JWKSURL: Type.String({ description: 'Public keyset URL.' }),
  },
  { title: 'ToolRegistration', description: 'What to enter in the tool.' },
);

export const toolRequests = ['login', 'token', 'service', 'content'] as const;
export type ToolRequest = (typeof toolRequests)[number];

export const Tool = Fields(
  {
    CourseID,
    ...fields,
    Registration,
    LastProblem: Nullable(
      Fields(
        {
          At: Instant(),
          Request: OneOf(toolRequests, {
            description:
              '`login`: for a launch. `token`: for an access token. `service`: with an access token, for example with a score. `content`: with the content that an administrator chose.',
          }),
          Detail: Type.String(),
        },
        { description: 'Why a request of the tool was rejected last; null if none was.' },
      ),
    ),
    CreatedAt: Instant(),
    UpdatedAt: Instant(),
  },
  { title: 'Tool', description: 'A course that is a tool of somebody else (LTI 1.3).' },
);
export type Tool = Type.Static<typeof Tool>;

export const ToolChange = Fields(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    ClientID: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          "The ClientID of another course of yours that is the same tool: both then share its registration, and a change of LoginURL, RedirectURIs or keys applies to both. Default: a new ClientID, and later the course's own.",
      }),
    ),
  },
  { title: 'ToolChange' },
);
export type ToolChange = Type.Static<typeof ToolChange>;

export const ContentLink = Fields(
  {
    ContentURL: Type.String({
      description: 'Open it in a browser within ten minutes. The tool shows its contents there.',
    }),
  },
  { title: 'ContentLink' },
);
