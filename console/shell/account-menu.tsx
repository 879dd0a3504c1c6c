import { ActionIcon, Button, Menu, Text, useMantineColorScheme } from '@mantine/core';
import {
  IconChevronDown,
  IconDeviceDesktop,
  IconLanguage,
  IconLock,
  IconLogout,
  IconMoon,
  IconShieldLock,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf, useSession } from '../api/session.tsx';
import { namesOf } from '../parts/choices.ts';
import { languages, useLanguage } from './intl.tsx';

const schemes = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop } as const;

function AppearanceItems() {
  const t = useTranslations('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, choose } = useLanguage();
  return (
    <>
      <Menu.Label>{t('colours')}</Menu.Label>
      {namesOf(schemes).map((scheme) => {
        const Icon = schemes[scheme];
        return (
          <Menu.RadioItem
            key={scheme}
            value={scheme}
            checked={colorScheme === scheme}
            rightSection={<Icon size={16} stroke={1.6} aria-hidden />}
            onChange={() => setColorScheme(scheme)}
            closeMenuOnClick
          >
            {t(`schemes.${scheme}`)}
          </Menu.RadioItem>
        );
      })}
      <Menu.Label>{t('language')}</Menu.Label>
      {namesOf(languages).map((one) => (
        <Menu.RadioItem
          key={one}
          value={one}
          checked={language === one}
          onChange={() => choose(one)}
          closeMenuOnClick
          lang={one}
        >
          {languages[one].name}
        </Menu.RadioItem>
      ))}
    </>
  );
}

export function Appearance() {
  const t = useTranslations('shell');
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('appearance')}>
          <IconLanguage size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <AppearanceItems />
      </Menu.Dropdown>
    </Menu>
  );
}

const ChangePassword = lazy(async () => ({
  default: (await import('../pages/password/change-password.tsx')).ChangePassword,
}));

export function AccountMenu() {
  const t = useTranslations('shell');
  const session = useSession();
  const [isChanging, setChanging] = useState(false);
  const name = session.Role === 'operator' ? t('operator') : nameOf(session);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            className="account"
            leftSection={<IconUserCircle size={20} stroke={1.6} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" fw={600} className="break">
              {name}
            </Text>
            {session.TenantName ?? t('wholeDeployment')}
          </Menu.Label>
          <Menu.Divider />
          <AppearanceItems />
          <Menu.Divider />
          {session.Role !== 'operator' && (
            <Menu.Item leftSection={<IconLock size={16} aria-hidden />} onClick={() => setChanging(true)}>
              {t('changePassword')}
            </Menu.Item>
          )}
          {session.Role !== 'learner' && (
            <Menu.Item
              leftSection={<IconShieldLock size={16} aria-hidden />}
              renderRoot={(props) => <Link to="/console/security" {...props} />}
            >
              {t('security')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={() => session.signOut(false)}
          >
            {t('signOut')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => session.signOut(true)}>
            {t('signOutEverywhere')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChanging && (
        <Suspense>
          <ChangePassword onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  );
}
