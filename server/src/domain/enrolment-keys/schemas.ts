import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { EnrollID, Enrolment, EnrolRequest } from '../enrolments/record/schemas.ts';
import { LoginID } from '../users/schemas.ts';

export const keyStatuses = ['available', 'scheduled', 'redeemed', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** A key as people type it. */
export const TypedKey = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The key as typed. Case, hyphens and spaces are ignored; O is read as 0, I and L as 1.',
});

const Courses = {
  CourseIDs: Type.Array(CourseID, {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'The courses on which the key enrols the learner.',
  }),
  DurationIDs: Type.Array(DurationID, {
    minItems: 1,
    maxItems: 50,
    description: 'The enrolment option for each course, in the order of CourseIDs.',
  }),
};

const Group = Nullable(
  Text(255, {
    description:
      'A user without a GroupName gets this GroupName when redeeming the key; a user with other Groups cannot redeem the key. null means any group.',
  }),
);
const PurchaseOrder = Nullable(Text(255, { description: 'Number of the purchase order for the keys.' }));

const common = {
  KeyID: Type.String({ description: 'ID of the key, which does not reveal the key itself. Opaque.' }),
  KeyStart: Type.String({ description: 'The first characters of the key, so that people can recognise it.' }),
  ...Courses,
  Status: OneOf(keyStatuses, {
    title: 'EnrolmentKeyStatus',
    description: 'scheduled means that the key is not valid before ValidFrom.',
  }),
  LoginID: Nullable(LoginID),
  Group,
  PurchaseOrder,
  ValidFrom: Instant(),
  ValidUntil: Instant(),
  CreatedAt: Instant(),
  RevokedAt: Nullable(Instant()),
  RedeemedAt: Nullable(Instant()),
  RedeemedBy: Nullable(LoginID),
  EnrollIDs: Type.Array(EnrollID, { description: 'The enrolments created when the key was redeemed.' }),
};

export const EnrolmentKey = Fields(common, { title: 'EnrolmentKey' });
export type EnrolmentKey = Type.Static<typeof EnrolmentKey>;

export const NewEnrolmentKeys = Fields(
  {
    ...Courses,
    Quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1 })),
    LoginID: Type.Optional(Nullable({ ...LoginID, description: 'Only this user can redeem the keys.' })),
    Group: Type.Optional(Group),
    PurchaseOrder: Type.Optional(PurchaseOrder),
    ValidFrom: Type.Optional(Nullable(Instant('When the keys become valid. Default: now.'))),
    ValidUntil: Type.Optional(Nullable(Instant('When the keys expire. Default: one year after ValidFrom.'))),
  },
  { title: 'NewEnrolmentKeys' },
);
export type NewEnrolmentKeys = Type.Static<typeof NewEnrolmentKeys>;

export const IssuedKeys = Fields(
  {
    Items: Type.Array(
      Fields({
        ...common,
        Key: Type.String({ description: 'Shown only in this response. Give it to the learner.' }),
      }),
    ),
  },
  { title: 'IssuedEnrolmentKeys' },
);
export type IssuedKeys = Type.Static<typeof IssuedKeys>;

export const KeyRedemption = Fields(
  { IfEnrolled: EnrolRequest.properties.IfEnrolled },
  { title: 'KeyRedemption' },
);
export type KeyRedemption = Type.Static<typeof KeyRedemption>;

export const RedeemedKey = Fields(
  {
    KeyID: common.KeyID,
    RedeemedAt: Instant(),
    Enrolments: Type.Array(Enrolment, { description: 'In the order of CourseIDs.' }),
  },
  { title: 'RedeemedEnrolmentKey' },
);
export type RedeemedKey = Type.Static<typeof RedeemedKey>;

export const CheckedKey = Fields(
  {
    KeyID: common.KeyID,
    RedeemedAt: Nullable(Instant('When this user redeemed the key; null if it has not been redeemed.')),
    Courses: Type.Array(
      Fields({
        CourseID,
        CourseTitle: Enrolment.properties.CourseTitle,
        DurationID,
        Duration: Nullable(
          Type.String({ description: 'Length of access, such as P30D; null means unlimited.' }),
        ),
        StartsOn: OneOf(['enrolment', 'launch'], { description: 'When the duration starts.' }),
        EnrollID: Nullable({
          ...EnrollID,
          description:
            'The enrolment that the user already has and that would be kept or extended; null if a new one would be created.',
        }),
        ExpiresAt: Nullable(
          Instant('When access would end; null if it never ends or starts with the first launch.'),
        ),
      }),
      { description: 'In the order of CourseIDs.' },
    ),
  },
  { title: 'CheckedEnrolmentKey' },
);
export type CheckedKey = Type.Static<typeof CheckedKey>;
