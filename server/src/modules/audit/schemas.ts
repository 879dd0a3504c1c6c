import Type from 'typebox';
import { actorKinds } from '../../platform/context.ts';
import { orderQuery, pageQuery } from '../../platform/pagination.ts';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../platform/schema.ts';
import { auditActions, auditCatalogue, targetKinds } from './actions.ts';

const Action = OneOf(auditActions, {
  description: auditActions.map((action) => `${action}: ${auditCatalogue[action][0]}`).join(' '),
});

export const AuditEntry = Fields(
  {
    AuditID: Type.String({ format: 'uuid' }),
    TenantID: Nullable(Type.String({ description: 'Whose trail it is; null: the deployment’s.' })),
    Number: Type.Integer({ description: 'Of the entry in its trail, without gaps from 1 on.' }),
    At: Instant(),
    Action,
    Actor: OneOf(actorKinds, {
      description:
        'Who did it: an API key, somebody signed in, the command line, the service itself, or anyone, such as somebody who tried to sign in.',
    }),
    ActorID: Nullable(Type.String({ description: 'Of the key or the session.' })),
    ActorName: Nullable(
      Type.String({ description: 'Name of the key, or LoginID; null: none, or erased since.' }),
    ),
    Address: Nullable(Type.String({ description: 'IP address; of learners none is kept.' })),
    RequestID: Nullable(Type.String({ description: 'The request_id of the request log.' })),
    Target: Nullable(OneOf(targetKinds, { description: 'What was changed.' })),
    TargetID: Nullable(Type.String()),
    TargetName: Nullable(
      Type.String({
        description:
          'LoginID of the user, also of an enrolment; name of the key. null: none, or erased since.',
      }),
    ),
    Data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Names and harmless values of what changed; depends on Action. Fields may be added.',
    }),
    Hash: Type.String({
      description: 'SHA-256 of this entry and the hash before it. `lectern audit verify` checks the chain.',
    }),
  },
  { title: 'AuditEntry', description: 'Who changed access, people, results or the catalogue.' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const auditQuery = Fields({
  ...pageQuery,
  ...orderQuery,
  Action: Type.Optional(OneOf(auditActions)),
  ActorID: Type.Optional(Type.String({ format: 'uuid', description: 'ID of a key or a session.' })),
  LoginID: Type.Optional(
    Identifier('Who did it, or whom it was about, their enrolments included. The operator names the tenant.'),
  ),
  TargetID: Type.Optional(
    Text(255, { minLength: 1, description: 'ID of what was changed, such as EnrollID, KeyID or CourseID.' }),
  ),
  After: Type.Optional(Instant('Entries from this instant on.')),
  Before: Type.Optional(Instant('Entries before this instant.')),
});
export type AuditQuery = Type.Static<typeof auditQuery>;
