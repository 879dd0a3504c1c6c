import { ActionIcon, Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useClickOutside, useDisclosure } from '@mantine/hooks';
import { IconDotsVertical } from '@tabler/icons-react';
import { Link, type LinkProps, useCanGoBack, useLocation } from '@tanstack/react-router';
import { Children, Fragment, isValidElement, type ReactNode, useContext, useEffect, useRef } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { SessionContext } from '../api/session.tsx';
import { usePageTitle } from '../shell/branding.tsx';
import { menuFor } from '../shell/navigation.ts';
import { usePagesOf } from '../shell/use-pages.ts';

type PageProps = {
  title: string;
  /** One line under the title. */
  text?: ReactNode;
  /** Buttons; the most important one last. */
  actions?: ReactNode;
  /** The list that this page belongs to. */
  back?: { to: LinkProps['to']; params?: LinkProps['params']; text: string };
  /** A status next to the title. */
  badge?: ReactNode;
  children: ReactNode;
};

/** If the focused link or dialog disappeared with the previous page, focuses the heading of the new one. */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasArrived = useCanGoBack();
  useEffect(() => {
    if (hasArrived && document.activeElement === document.body) heading.current?.focus();
  }, [hasArrived]);
  return heading;
}

/** Links to the other pages of the same menu item. */
function PageTabs() {
  const t = useTranslations('shell');
  const session = useContext(SessionContext);
  const { tenant } = useApi();
  const { pathname } = useLocation();
  const hasTenant = session !== null && (session.Role !== 'operator' || tenant !== null);
  const menu = session ? menuFor(session.Role, hasTenant) : [];
  const item = menu.find(({ pages }) => pages.some(({ to }) => to === pathname));
  const pages = usePagesOf(item, pathname);
  if (!item || pages.length < 2) return null;
  return (
    <nav aria-label={t(`menu.${item.text}`)} className="page-tabs">
      {pages.map(({ to, text }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {t(`pages.${text}`)}
        </Link>
      ))}
    </nav>
  );
}

/** On a phone, all buttons but the last one, which is the most important, are in a menu. */
function PageActions({ children }: { children: ReactNode }) {
  const t = useTranslations('shell');
  const [isOpen, { toggle, close }] = useDisclosure(false);
  // A button may itself open a menu, which is elsewhere in the document.
  const isOfMenu = (target: EventTarget | null) =>
    target instanceof Element && target.closest('[aria-haspopup="menu"], [role="menu"]') !== null;
  const leave = ({ target }: { target: EventTarget | null }) => isOfMenu(target) || close();
  const menu = useClickOutside<HTMLDivElement>(leave);
  const all = isValidElement<{ children: ReactNode }>(children) && children.type === Fragment;
  const buttons = Children.toArray(all ? children.props.children : children);
  if (buttons.length < 2) return <Group className="page-actions">{buttons}</Group>;
  return (
    <Group gap="sm" className="page-actions" ref={menu} onKeyUp={({ key }) => key === 'Escape' && close()}>
      {/* The buttons stay mounted, because their dialogs belong to them. */}
      <div className="more-actions" data-open={isOpen || undefined} onClickCapture={leave}>
        {buttons.slice(0, -1)}
      </div>
      {buttons.at(-1)}
      <ActionIcon
        hiddenFrom="sm"
        variant="default"
        size="lg"
        aria-label={t('moreActions')}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <IconDotsVertical size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

/** The frame of every page: a level-one heading, its actions, and the title of the browser tab. */
export function Page({ title, text, actions, back, badge, children }: PageProps) {
  usePageTitle(title);
  const t = useTranslations('shell');
  const session = useContext(SessionContext);
  const day = useFormatter().dateTime(new Date(), { dateStyle: 'long' });
  const heading = useHeadingFocus();
  return (
    <Stack>
      <div className="page-head">
        {back && (
          <div className="page-back">
            <Anchor
              size="sm"
              lh={1.2}
              display="block"
              w="fit-content"
              renderRoot={(props) => <Link to={back.to} params={back.params as never} {...props} />}
            >
              {back.text}
            </Anchor>
          </div>
        )}
        <Group gap="sm" className="page-name">
          <Title order={1} size="h2" className="break page-title" tabIndex={-1} ref={heading}>
            {title}
          </Title>
          {badge}
          <PageTabs />
        </Group>
        {text !== undefined && (
          <Text c="dimmed" size="sm" component="div" className="page-text">
            {text}
          </Text>
        )}
        {actions && <PageActions>{actions}</PageActions>}
      </div>
      {children}
      <Text size="xs" className="on-paper">
        {[session?.TenantName ?? [], t('printed', { day })].flat().join(' · ')}
      </Text>
    </Stack>
  );
}
