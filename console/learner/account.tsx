import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf } from '../api/session.tsx';
import { namesOf } from '../parts/choices.ts';
import { languages, useLanguage } from '../shell/intl.tsx';
import type { Session } from './data.ts';
import { Menu } from './menu.tsx';

/** Mantine's name, so that the console's other pages have the same colours. */
const storageKey = 'mantine-color-scheme-value';
const schemes = ['light', 'dark', 'auto'] as const;
type Scheme = (typeof schemes)[number];

function show(scheme: Scheme): void {
  const isDark =
    scheme === 'dark' || (scheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
}

const chosen = (): Scheme => schemes.find((one) => one === localStorage.getItem(storageKey)) ?? 'auto';
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show(chosen()));

export function AccountMenu({ session }: { session: Session }) {
  const t = useTranslations('shell');
  const { language, choose } = useLanguage();
  const [scheme, setScheme] = useState(chosen);
  const name = nameOf(session);
  const chooseScheme = (next: Scheme) => {
    localStorage.setItem(storageKey, next);
    show(next);
    setScheme(next);
  };
  const signOut = async (everywhere: boolean) => {
    await fetch(`/session?Everywhere=${everywhere}`, { method: 'DELETE' });
    if (session.SignOutURL) location.assign(session.SignOutURL);
    else location.reload();
  };
  const radio = (key: string, isChecked: boolean, text: string, act: () => void, lang?: string) => (
    <button
      key={key}
      type="button"
      role="menuitemradio"
      aria-checked={isChecked}
      tabIndex={-1}
      onClick={act}
      {...(lang && { lang })}
    >
      {text}
    </button>
  );
  const item = (text: string, act: () => void) => (
    <button type="button" role="menuitem" tabIndex={-1} onClick={act}>
      {text}
    </button>
  );
  return (
    <Menu label={<span className="account">{name}</span>}>
      <p className="menu-label" role="presentation">
        <strong>{name}</strong> {session.TenantName}
      </p>
      <p className="menu-label" role="presentation">
        {t('colours')}
      </p>
      {schemes.map((one) => radio(one, one === scheme, t(`schemes.${one}`), () => chooseScheme(one)))}
      <p className="menu-label" role="presentation">
        {t('language')}
      </p>
      {namesOf(languages).map((one) =>
        radio(one, one === language, languages[one].name, () => choose(one), one),
      )}
      <hr />
      {item(t('changePassword'), () => location.assign('/console/password'))}
      {item(t('signOut'), () => signOut(false))}
      {item(t('signOutEverywhere'), () => signOut(true))}
    </Menu>
  );
}
