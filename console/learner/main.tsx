import './learner.css';
import { StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useTranslations } from 'use-intl';
import { DayZone } from '../parts/day-zone.ts';
import { notifyAgain, Toast } from '../parts/toast.tsx';
import { BrandingProvider, useBranding } from '../shell/branding.tsx';
import { Texts } from '../shell/intl.tsx';
import { AccountMenu } from './account.tsx';
import { type Me, readSession, type Session, useOverview } from './data.ts';
import { MyCourses } from './my-courses.tsx';
import { learnerTexts } from './texts.ts';

function Brand() {
  const { branding } = useBranding();
  const [isBroken, setBroken] = useState(false);
  const { Name = null, LogoURL = null } = branding ?? {};
  if (LogoURL !== null && !isBroken)
    return <img className="brand-logo" src={LogoURL} alt={Name ?? ''} onError={() => setBroken(true)} />;
  return (
    <>
      {Name === null && <img src="/console/icon.svg" width={26} height={26} alt="" />}
      <span className="brand-name">{Name ?? 'Lectern'}</span>
    </>
  );
}

function Learner({ session }: { session: Session }) {
  const t = useTranslations();
  const { remember } = useBranding();
  const { TenantID, TenantName, Branding, LoginID, Scopes } = session;
  useEffect(() => {
    if (TenantID !== null) remember(TenantID, Branding);
  }, [TenantID, Branding, remember]);
  useEffect(() => {
    notifyAgain();
    // People who use the keyboard come from a page of the console.
    document.getElementById('main')?.focus();
  }, []);
  const me: Me = useMemo(
    () => ({ LoginID: LoginID ?? '', Scopes, organisation: Branding?.Name ?? TenantName ?? '' }),
    [LoginID, Scopes, Branding, TenantName],
  );
  const loaded = useOverview(me);
  return (
    <>
      <Toast />
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <header>
        <a href="/console" className="brand">
          <Brand />
        </a>
        {loaded.isOffline && <span className="badge expired">{t('learner.offlineShort')}</span>}
        <AccountMenu session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        <MyCourses me={me} loaded={loaded} />
      </main>
    </>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
const session = await readSession();
createRoot(root).render(
  <StrictMode>
    <BrandingProvider>
      <Texts more={learnerTexts}>
        <DayZone value={session.TimeZone}>
          <Learner session={session} />
        </DayZone>
      </Texts>
    </BrandingProvider>
  </StrictMode>,
);
