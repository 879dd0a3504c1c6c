import Type from 'typebox';
import { OneOf } from '../../http/validation/schema.ts';
import type { DocumentKind } from './documents.ts';
import { exampleStatement } from './examples.ts';
import { cursorParameter } from './list-statements.ts';
import { Statement } from './statement-schema.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Accepts any values. The rules of xAPI check them and reject invalid ones with a 400. */
const open = { additionalProperties: true };

const agent = 'JSON of an Agent or identified Group.';
const shown = {
  format: Type.Optional(
    OneOf(['exact', 'ids', 'canonical'], {
      description:
        'How statements are shown. `canonical`: with the definitions that the LRS knows, in the language of Accept-Language. Default: exact.',
    }),
  ),
  attachments: text('`true`: a multipart/mixed response with the contents of attachments.'),
};

export const statementQuery = Type.Object(
  {
    statementId: text('One statement. Cannot be combined with filters.'),
    voidedStatementId: text('One voided statement. Cannot be combined with filters.'),
    agent: text(
      `${agent} Selects statements whose actor or object is this agent, or a group that contains it.`,
    ),
    verb: text('IRI of the verb.'),
    activity: text('IRI of the activity that is the object.'),
    registration: text('UUID of the registration. Lectern uses the EnrollID.'),
    related_activities: text('`true`: the activity can be anywhere in the statement.'),
    related_agents: text('`true`: the agent can be anywhere in the statement.'),
    since: text('Only statements stored after this time.'),
    until: text('Only statements stored at or before this time.'),
    limit: text('Maximum number of statements on a page, at most 200.'),
    ascending: text('`true`: oldest first.'),
    ...shown,
    [cursorParameter]: text('An opaque string from the link in `more`.'),
  },
  open,
);

const required = (description: string, example: string) => Type.String({ description, examples: [example] });
const exampleAgent = JSON.stringify(exampleStatement.actor);
const activityId = required('IRI of the activity.', exampleStatement.object.id);

export const putQuery = Type.Object(
  { statementId: required('The ID of the statement, a UUID.', exampleStatement.id) },
  open,
);

/** `id`: whether the request must name a document. */
export function documentQuery(kind: DocumentKind, id: 'required' | 'optional') {
  const named = (example: string) =>
    id === 'required'
      ? required('ID of the document.', example)
      : text('ID of the document. Without it, the request applies to all documents.');
  const since =
    id === 'required' ? {} : { since: text('Only the IDs of documents changed after this time.') };
  if (kind === 'activity_profile')
    return Type.Object({ activityId, profileId: named('settings'), ...since }, open);
  const agentOf = required(agent, exampleAgent);
  if (kind === 'agent_profile')
    return Type.Object({ agent: agentOf, profileId: named('preferences'), ...since }, open);
  const registration = text('UUID of the registration.');
  return Type.Object({ activityId, agent: agentOf, registration, stateId: named('resume'), ...since }, open);
}

export const agentQuery = Type.Object({ agent: required('JSON of an Agent.', exampleAgent) }, open);
export const activityQuery = Type.Object({ activityId }, open);

const StatementResult = Type.Object(
  {
    statements: Type.Array(Statement),
    more: Type.String({
      description:
        'Path of the next page; empty on the last page. A page can be short, or even empty, although another page follows.',
    }),
  },
  { title: 'StatementResult' },
);

export const StatementResponse = Type.Union([StatementResult, Statement], {
  description: 'With statementId or voidedStatementId, the response is a Statement.',
});

export const StatementBody = Type.Union([Statement, Type.Array(Statement)]);

export const StatementIDs = Type.Array(Type.String(), { title: 'StatementIDs' });

const DocumentIDs = Type.Array(Type.String(), {
  title: 'DocumentIDs',
  description: 'The response if the query contains no ID.',
});
export const DocumentResponse = Type.Union([DocumentIDs, Type.Unknown({ description: 'The document.' })]);

export const Person = Type.Object(
  { objectType: OneOf(['Person']) },
  { title: 'Person', additionalProperties: true },
);
export const Activity = Type.Object(
  { objectType: OneOf(['Activity']), id: Type.String() },
  { title: 'Activity', additionalProperties: true },
);
export const About = Type.Object(
  { version: Type.Array(Type.String({ examples: ['2.0.0'] })) },
  { title: 'About' },
);
