import { Checkbox, PasswordInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { IdField } from '../../parts/id-field.tsx';
import { notify } from '../../parts/toast.tsx';
import { Copyable, LabelledValue } from '../../parts/values.tsx';

export type Provider = components['schemas']['IdentityProvider'];

const empty = {
  ProviderID: '',
  Name: '',
  Issuer: '',
  ClientID: '',
  ClientSecret: '',
  LinkBy: 'Email',
  LoginIDClaim: 'sub',
  TrustEmail: false,
  CreateUsers: false,
  Domains: [] as string[],
  Scopes: ['openid', 'profile', 'email'],
  ClientAuthentication: 'client_secret_basic' as Provider['ClientAuthentication'],
  GroupClaim: '',
  AdministratorGroups: [] as string[],
  SignOut: false,
  RequiredForAdministrators: false,
  Enabled: true,
};
type Typed = typeof empty;

const typedOf = (provider: Provider): Typed => ({
  ...empty,
  ...Object.fromEntries(Object.entries(provider).filter(([name]) => name in empty)),
  LinkBy: provider.LinkBy ?? 'none',
  GroupClaim: provider.GroupClaim ?? '',
});

type Props = { provider: Provider | null; isOpen: boolean; onClose: () => void };

/** Adds a provider, or changes it. An empty secret keeps the stored one. */
export function ProviderDialog({ provider, isOpen, onClose }: Props) {
  const t = useTranslations('singleSignOn');
  const { $api, tenant } = useApi();
  const { TenantID } = useSession();
  const queries = useQueryClient();
  const put = $api.useMutation('put', '/identity-provider/{ProviderID}');
  const initial = () => (provider ? typedOf(provider) : empty);
  const [typed, setTyped] = useFormState(isOpen, initial);
  const set = (change: Partial<Typed>) => setTyped((held) => ({ ...held, ...change }));
  const text = (name: 'ProviderID' | 'Name' | 'Issuer' | 'ClientID' | 'LoginIDClaim' | 'GroupClaim') => ({
    label: t(`fields.${name}`),
    value: typed[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
    autoCapitalize: 'none',
    spellCheck: false,
  });
  const box = (name: 'TrustEmail' | 'CreateUsers' | 'RequiredForAdministrators' | 'SignOut' | 'Enabled') => ({
    label: t(`fields.${name}`),
    description: t(`texts.${name}`),
    checked: typed[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.checked }),
  });
  const list = (name: 'Domains' | 'Scopes' | 'AdministratorGroups') => ({
    label: t(`fields.${name}`),
    description: t(`texts.${name}`),
    value: typed[name],
    onChange: (names: string[]) => set({ [name]: names }),
  });
  // The console is on the API's origin.
  const callback = `${location.origin}/sso/${encodeURIComponent(tenant ?? TenantID ?? '')}/callback/`;
  const hasOtherIssuer = provider !== null && typed.Issuer !== provider.Issuer;
  const submit = async () => {
    const { ProviderID, ClientSecret, LinkBy, GroupClaim, ...fields } = typed;
    const body = {
      ...fields,
      LinkBy: LinkBy === 'LoginID' || LinkBy === 'Email' ? LinkBy : null,
      GroupClaim: GroupClaim === '' ? null : GroupClaim,
      ...(ClientSecret !== '' && { ClientSecret }),
    } as const;
    await put.mutateAsync({ params: { path: { ProviderID } }, body });
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  const isDirty = JSON.stringify(typed) !== JSON.stringify(initial());
  return (
    <FormDialog
      title={provider ? t('changeTitle') : t('addTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('save')}
      onSubmit={submit}
      isDirty={isDirty}
      missing={(['ProviderID', 'Issuer', 'ClientID'] as const).map(
        (name) => typed[name] === '' && t(`fields.${name}`),
      )}
      size="lg"
    >
      {!provider && (
        <IdField
          {...text('ProviderID')}
          onChange={(ProviderID) => set({ ProviderID })}
          description={t('texts.ProviderID')}
          withAsterisk={false}
        />
      )}
      <Stack component="dl" m={0}>
        <LabelledValue label={t('redirectUri')}>
          {typed.ProviderID === '' ? (
            t('texts.redirectUri')
          ) : (
            <Copyable
              value={provider?.RedirectURI ?? callback + encodeURIComponent(typed.ProviderID)}
              label={t('redirectUri')}
            />
          )}
        </LabelledValue>
      </Stack>
      <TextInput {...text('Name')} description={t('texts.Name')} />
      <TextInput {...text('Issuer')} description={t('texts.Issuer')} required withAsterisk={false} />
      <TextInput {...text('ClientID')} required withAsterisk={false} />
      <PasswordInput
        label={t('fields.ClientSecret')}
        description={t(provider?.HasClientSecret && !hasOtherIssuer ? 'texts.kept' : 'texts.ClientSecret')}
        value={typed.ClientSecret}
        onChange={(event) => set({ ClientSecret: event.currentTarget.value })}
        autoComplete="off"
      />
      <Select
        label={t('fields.LinkBy')}
        description={t('texts.LinkBy')}
        data={(['none', 'Email', 'LoginID'] as const).map((value) => ({
          value,
          label: t(`linkBy.${value}`),
        }))}
        value={typed.LinkBy}
        onChange={(LinkBy) => set({ LinkBy: LinkBy ?? 'none' })}
        allowDeselect={false}
      />
      <TextInput {...text('LoginIDClaim')} description={t('texts.LoginIDClaim')} />
      <TagsInput {...list('Domains')} />
      <TagsInput {...list('Scopes')} />
      <TextInput {...text('GroupClaim')} description={t('texts.GroupClaim')} />
      <TagsInput {...list('AdministratorGroups')} />
      <Select
        label={t('fields.ClientAuthentication')}
        description={t('texts.ClientAuthentication')}
        data={['client_secret_basic', 'client_secret_post']}
        value={typed.ClientAuthentication}
        onChange={(name) =>
          set({
            ClientAuthentication:
              name === 'client_secret_post' ? 'client_secret_post' : 'client_secret_basic',
          })
        }
        allowDeselect={false}
      />
      <Checkbox {...box('TrustEmail')} />
      <Checkbox {...box('CreateUsers')} />
      <Checkbox {...box('RequiredForAdministrators')} />
      <Checkbox {...box('SignOut')} />
      <Checkbox {...box('Enabled')} />
    </FormDialog>
  );
}
