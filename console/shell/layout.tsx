import { Burger, Group, HoverCard, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { useSession } from '../api/session.tsx';
import { AccountMenu, Appearance } from './account-menu.tsx';
import { useBranding } from './branding.tsx';
import { menuFor, navigationPageOf } from './navigation.ts';
import { PaletteButton } from './palette/palette-button.tsx';
import { TenantSwitcher } from './tenant-switcher.tsx';
import { usePagesOf } from './use-pages.ts';

function Brand() {
  const { branding } = useBranding();
  const { Name = null, LogoURL = null } = branding ?? {};
  const [broken, setBroken] = useState<string | null>(null);
  const name = (
    <Text fw={700} component="span" className="brand-name">
      {Name ?? 'Lectern'}
    </Text>
  );
  return (
    <Link to="/console" className="brand">
      {LogoURL !== null && LogoURL !== broken ? (
        <img className="brand-logo" src={LogoURL} alt={Name ?? ''} onError={() => setBroken(LogoURL)} />
      ) : Name !== null ? (
        name
      ) : (
        <>
          <img src="/console/icon.svg" width={26} height={26} alt="" />
          {name}
        </>
      )}
    </Link>
  );
}

/** Moves the focus without changing the URL's fragment, which may be an invitation or a key. */
function skip(event: MouseEvent) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function SkipLink() {
  const t = useTranslations('shell');
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page
    <a className="skip" href="#main" onClick={skip}>
      {t('skip')}
    </a>
  );
}

type PlaceProps = { item: ReturnType<typeof menuFor>[number]; pathname: string };

/** An item of the menu. Pointing at it offers its pages, which are the tabs of the first one. */
function Place({ item, pathname }: PlaceProps) {
  const t = useTranslations('shell');
  const { text, icon: Icon, pages } = item;
  const here = navigationPageOf(pathname);
  const isHere = pages.some(({ to }) => to === here?.to);
  const [isOpen, flyout] = useDisclosure(false);
  return (
    <HoverCard
      position="right-start"
      offset={2}
      disabled={pages.length < 2}
      openDelay={100}
      onOpen={flyout.open}
      onClose={flyout.close}
    >
      <HoverCard.Target>
        <NavLink
          className="place"
          label={t(`menu.${text}`)}
          leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
          active={isHere}
          aria-current={isHere ? 'page' : undefined}
          renderRoot={(props) => (
            <Link to={pages[0]?.to ?? '/console'} activeOptions={{ exact: true }} {...props} />
          )}
        />
      </HoverCard.Target>
      <HoverCard.Dropdown p={4} className="place-pages">
        {isOpen && <PlacePages item={item} pathname={pathname} />}
      </HoverCard.Dropdown>
    </HoverCard>
  );
}

/** What people come to do on the pages of an item. */
const ways = {
  users: [{ to: '/console/users', text: 'createUser', search: { create: 'true' } }],
  enrol: [
    { to: '/console/enrol', text: 'enrolGroup', search: { from: 'group' } },
    { to: '/console/enrol', text: 'enrolFile', search: { from: 'file' } },
  ],
  connections: [{ to: '/console/api-keys', text: 'createKey', search: { create: 'true' } }],
} as const;

function PlacePages({ item, pathname }: PlaceProps) {
  const t = useTranslations('shell');
  const links = usePagesOf(item, pathname).map(({ to, text }) => ({ to, text, search: {} }));
  return [...links, ...(item.text in ways ? ways[item.text as keyof typeof ways] : [])].map(
    ({ to, text, search }) => (
      <NavLink
        key={text}
        className="place"
        label={t(`pages.${text}`)}
        renderRoot={(props) => (
          <Link to={to} search={search as never} activeOptions={{ exact: true }} {...props} />
        )}
      />
    ),
  );
}

export function Layout({ children }: { children: ReactNode }) {
  const t = useTranslations('shell');
  const { Role } = useSession();
  const { tenant } = useApi();
  const { pathname } = useLocation();
  const [isOpen, menu] = useDisclosure(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu
  useEffect(() => menu.close(), [pathname]);
  const hasMenu = Role !== 'learner';
  const burger = hasMenu && (
    <Burger
      opened={isOpen}
      onClick={menu.toggle}
      hiddenFrom="sm"
      size="sm"
      aria-label={t(isOpen ? 'closeMenu' : 'openMenu')}
      aria-expanded={isOpen}
      aria-controls="places"
    />
  );
  return (
    <div className="shell">
      <Header start={burger}>
        {hasMenu && <PaletteButton />}
        <AccountMenu />
      </Header>
      {hasMenu && (
        <nav id="places" aria-label={t('places')} className="shell-menu" data-open={isOpen || undefined}>
          {Role === 'operator' && <TenantSwitcher />}
          {menuFor(Role, Role !== 'operator' || tenant !== null).map((item) => (
            <Place key={item.text} item={item} pathname={pathname} />
          ))}
        </nav>
      )}
      <Main>{children}</Main>
    </div>
  );
}

/** Frames pages that do not require signing in. */
export function PublicLayout({ children }: { children: ReactNode }) {
  return (
    <div className="shell">
      <Header>
        <Appearance />
      </Header>
      <Main>{children}</Main>
    </div>
  );
}

function Header({ start, children }: { start?: ReactNode; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="shell-header">
        <Group gap="xs" wrap="nowrap">
          {start}
          <Brand />
        </Group>
        <Group gap="xs" wrap="nowrap">
          {children}
        </Group>
      </header>
    </>
  );
}

function Main({ children }: { children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className="shell-main">
      <div className="page">{children}</div>
    </main>
  );
}
