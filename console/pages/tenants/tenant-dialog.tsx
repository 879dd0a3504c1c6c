import { Select, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { notify } from '../../parts/toast.tsx';
import { LanguageField } from '../settings/language-field.tsx';

type Tenant = components['schemas']['Tenant'];
type PasswordHash = Tenant['PasswordHash'];

const passwordHashes = [
  'sha256-hex',
  'sha512-hex',
  'sha256-base64',
  'md5-hex',
  'opaque',
] as const satisfies readonly PasswordHash[];

const secondFactors = ['optional', 'required'] as const satisfies readonly Tenant['SecondFactor'][];

type FormValues = {
  Name: string;
  SecondFactor: Tenant['SecondFactor'];
  Language: Tenant['Language'];
  PasswordHash: PasswordHash;
  ReturnOrigins: string[];
  FrameOrigins: string[];
  IssuerDomains: string[];
};

/** An empty list of origins means no limit. */
const originsOf = (typed: string[]) => (typed.length > 0 ? typed : null);
const changeOf = ({ ReturnOrigins, FrameOrigins, ...rest }: FormValues) => ({
  ...rest,
  ReturnOrigins: originsOf(ReturnOrigins),
  FrameOrigins: originsOf(FrameOrigins),
});

type FieldsProps = { typed: FormValues; onChange: (change: Partial<FormValues>) => void };

function TenantFields({ typed, onChange }: FieldsProps) {
  const t = useTranslations('tenants');
  return (
    <>
      <Select
        label={t('passwordHash')}
        description={t('passwordHashText')}
        data={passwordHashes.map((value) => ({ value, label: t(`hashes.${value}`) }))}
        value={typed.PasswordHash}
        onChange={(value) =>
          onChange({ PasswordHash: choiceOf(passwordHashes, value) ?? typed.PasswordHash })
        }
        allowDeselect={false}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <Select
        label={t('secondFactor')}
        description={t('secondFactorText')}
        data={secondFactors.map((value) => ({ value, label: t(`secondFactors.${value}`) }))}
        value={typed.SecondFactor}
        onChange={(value) => onChange({ SecondFactor: choiceOf(secondFactors, value) ?? typed.SecondFactor })}
        allowDeselect={false}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <LanguageField value={typed.Language} onChange={(Language) => onChange({ Language })} />
      <OriginsField
        label={t('returnOrigins')}
        description={t('returnOriginsText')}
        value={typed.ReturnOrigins}
        onChange={(ReturnOrigins) => onChange({ ReturnOrigins })}
      />
      <OriginsField
        label={t('frameOrigins')}
        description={t('frameOriginsText')}
        value={typed.FrameOrigins}
        onChange={(FrameOrigins) => onChange({ FrameOrigins })}
      />
      <OriginsField
        label={t('issuerDomains')}
        description={t('issuerDomainsText')}
        placeholder="academy.acme.example"
        value={typed.IssuerDomains}
        onChange={(IssuerDomains) => onChange({ IssuerDomains })}
      />
    </>
  );
}

type OriginsProps = {
  label: string;
  description: string;
  placeholder?: string;
  value: string[];
  onChange: (value: string[]) => void;
};

function OriginsField(props: OriginsProps) {
  return (
    <TagsInput
      placeholder="https://lms.example"
      {...props}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      inputMode="url"
      inputWrapperOrder={['label', 'input', 'description']}
    />
  );
}

type DialogProps = { isOpen: boolean; onClose: () => void };

export function NewTenantDialog({ isOpen, onClose }: DialogProps) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = $api.useMutation('post', '/tenant');
  const empty: FormValues = {
    Name: '',
    SecondFactor: 'optional',
    Language: 'en',
    PasswordHash: 'sha256-hex',
    ReturnOrigins: [],
    FrameOrigins: [],
    IssuerDomains: [],
  };
  const [id, setTenantID] = useState('');
  const [typed, setTyped] = useState<FormValues>(empty);
  const TenantID = id || idOf(typed.Name).slice(0, 64);
  const close = () => {
    setTenantID('');
    setTyped(empty);
    onClose();
  };
  const submit = async () => {
    const Name = typed.Name.trim() || TenantID;
    await create.mutateAsync({ body: { TenantID, ...changeOf({ ...typed, Name }) } });
    await queries.invalidateQueries();
    notify(t('created', { name: Name }));
    void navigate({ to: '/console/tenants/$tenantId', params: { tenantId: TenantID } });
  };
  return (
    <FormDialog
      title={t('createTitle')}
      isOpen={isOpen}
      onClose={close}
      submit={t('createSubmit')}
      onSubmit={submit}
      size="lg"
    >
      <TextInput
        label={t('name')}
        description={t('nameText')}
        maxLength={255}
        data-autofocus
        value={typed.Name}
        onChange={(event) => setTyped({ ...typed, Name: event.currentTarget.value })}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <IdField
        label={t('tenantId')}
        description={t('tenantIdText')}
        maxLength={64}
        value={TenantID}
        onChange={setTenantID}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <TenantFields typed={typed} onChange={(change) => setTyped((before) => ({ ...before, ...change }))} />
    </FormDialog>
  );
}

export function EditTenantDialog({ tenant, isOpen, onClose }: DialogProps & { tenant: Tenant }) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const queries = useQueryClient();
  const change = $api.useMutation('put', '/tenant/{TenantID}');
  const { TenantID, Name, SecondFactor, Language, PasswordHash } = tenant;
  const { ReturnOrigins, FrameOrigins, IssuerDomains } = tenant;
  const [typed, setTyped] = useState<FormValues>({
    Name,
    SecondFactor,
    Language,
    PasswordHash,
    ReturnOrigins: ReturnOrigins ?? [],
    FrameOrigins: FrameOrigins ?? [],
    IssuerDomains,
  });
  const submit = async () => {
    await change.mutateAsync({ params: { path: { TenantID } }, body: changeOf(typed) });
    await queries.invalidateQueries();
    notify(t('changed'));
  };
  return (
    <FormDialog
      title={t('editTitle', { name: Name })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('save')}
      onSubmit={submit}
      size="lg"
    >
      <TextInput
        label={t('name')}
        required
        maxLength={255}
        data-autofocus
        value={typed.Name}
        onChange={(event) => setTyped({ ...typed, Name: event.currentTarget.value })}
      />
      <TenantFields typed={typed} onChange={(change) => setTyped((before) => ({ ...before, ...change }))} />
    </FormDialog>
  );
}
