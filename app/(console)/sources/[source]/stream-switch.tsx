'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { StateBadge } from '@/components/release/state-badge';
import { Panel } from '@/components/ui/panel';
import { say } from '@/components/ui/toaster';
import { When } from '../../_parts/when';
import type { SourceData } from './read';
import { switchDemoStream } from './stream-action';

/** The demo's switch: a shop that goes on selling while releases are built. */
export function StreamSwitch({
  stream,
  may,
  refresh,
}: {
  stream: NonNullable<SourceData['stream']>;
  may: boolean;
  refresh: () => Promise<void>;
}) {
  const { on } = stream;
  return (
    <Panel
      title="Live events of the demo"
      aside={
        <StateBadge
          look={
            on
              ? { label: 'Flowing', hue: 'run', icon: 'building' }
              : { label: 'Off', hue: 'idle', icon: 'pause' }
          }
          turning={on}
          pill
        />
      }
    >
      <div className="col">
        <p className="m">
          New lines, changes and cancellations of the demo’s shop, one every few seconds, so that
          there is something to catch up with and to replay. They stop by themselves after nearly a
          day.
        </p>
        <p className="s m">
          Switched {on ? 'on' : 'off'} by {stream.by}, <When zone="UTC" at={stream.since} />
        </p>
        {may && (
          <PrimaryAction
            label={on ? 'Stop the live events' : 'Let live events flow'}
            pendingLabel="Switching…"
            variant="plain"
            icon={on ? 'pause' : 'play'}
            action={async () => {
              const result = await switchDemoStream(!on);
              return result.ok ? { ok: true } : result;
            }}
            onDone={() => {
              say(on ? 'The demo’s live events stop' : 'Live events flow');
              void refresh();
            }}
          />
        )}
      </div>
    </Panel>
  );
}
