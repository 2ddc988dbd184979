import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { StateBadge } from '@/components/release/state-badge';
import { PageTop } from '@/components/shell/page-top';
import { Shell } from '@/components/shell/shell';
import { ButtonLink } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { Interval } from '@/components/ui/interval';
import { PageHead } from '@/components/ui/page-head';
import { StickBar } from '@/components/ui/stick-bar';
import { TabsNav } from '@/components/ui/tabs-nav';
import { ActionSamples } from './actions';
import { ChartSamples } from './charts';
import { ControlSamples } from './controls';
import { RecordSamples } from './records';
import { StateSamples } from './states';
import { digest } from './story';

export const metadata: Metadata = { title: 'Specimen' };

const ITEMS = [
  { href: '/', label: 'Overview', icon: 'grid', count: 3, phone: true },
  { href: '/specimen', label: 'Releases', icon: 'branch', phone: true },
  { href: '/datasets', label: 'Datasets', icon: 'db' },
  { href: '/oncall', label: 'On-call', icon: 'phone', count: 1, pressing: true, phone: true },
  { href: '/audit', label: 'Audit', icon: 'list' },
  { href: '/admin', label: 'Admin', icon: 'gear' },
] as const;

/** Every state and part once, to look at while changing them. A page of development only. */
export default function Specimen(): ReactNode {
  return (
    <Shell
      items={ITEMS}
      person={{ name: 'ana', roles: ['owner', 'on-call'] }}
      signOut={
        <button type="button" className="btn w">
          Sign out
        </button>
      }
    >
      <PageTop
        crumbs={[
          { label: 'Releases', href: '/' },
          { label: 'order_tax', href: '/' },
          { label: 'vat-fix@3' },
        ]}
        asOf={{ text: '12 Dec 2011 09:21:38 GMT', utc: '2011-12-12T09:21:38Z' }}
      />
      <PageHead
        title="vat-fix@3"
        badges={
          <>
            <StateBadge release="BUILDING" pill />
            <DigestChip value={digest('f')} />
          </>
        }
        facts={[
          'VAT 17.5 % to 20 %',
          <span key="into">
            <b>order_tax</b> into <span className="mono">vat-fix-g3</span>
          </span>,
          'owner ana',
          'deadline 16 Dec 2011 18:00 GMT',
        ]}
        interval={
          <Interval
            from="2011-01-04 00:00"
            to="2011-12-10 00:00"
            zone="Europe/London"
            fromUtc="2011-01-04T00:00:00Z"
            toUtc="2011-12-10T00:00:00Z"
          />
        }
        action={<ActionSamples which="head" />}
      />
      <TabsNav
        label="Release"
        tabs={[
          { href: '/specimen', label: 'Coverage', count: '263 of 312' },
          { href: '/specimen/build', label: 'Build', count: '1 failed' },
          { href: '/specimen/ingress', label: 'Ingress', count: 'open' },
          { href: '/specimen/reconciliation', label: 'Reconciliation', count: 'not yet' },
          { href: '/specimen/approval', label: 'Approval', count: '0 of 2' },
          { href: '/specimen/cutover', label: 'Cutover' },
          { href: '/specimen/audit', label: 'Audit', count: '14' },
          { href: '/specimen/spec', label: 'Spec' },
        ]}
      />
      <div className="stack">
        <StateSamples />
        <ActionSamples which="panel" />
        <ChartSamples />
        <RecordSamples />
        <ControlSamples />
      </div>
      <StickBar>
        <ButtonLink href="#release" variant="go">
          To the signature
        </ButtonLink>
      </StickBar>
    </Shell>
  );
}
