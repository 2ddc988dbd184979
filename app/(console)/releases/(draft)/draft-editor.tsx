'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ActionProblem, BlockerView } from '@/components/release/blockers';
import { ProblemNote } from '@/components/release/problem-note';
import { StateBadge } from '@/components/release/state-badge';
import { useOnce } from '@/components/release/use-once';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/note';
import { say } from '@/components/ui/toaster';
import { unpackEdges } from '@/lib/domain/edge-runs';
import type { DraftDataset } from '@/lib/queries/draft';
import { keepDraft, saveDraft } from './actions';
import { type DraftForm, emptyForm, sameForm } from './draft-form';
import { errorsOf } from './errors';
import { changedFields } from './form-words';
import { PinAction } from './pin-action';
import { PlanPanel } from './plan-panel';
import { SamplePanel } from './sample-panel';
import { ConservedSection } from './sections/conserved-section';
import { ContractSection } from './sections/contract-section';
import { ApprovalsSection, LimitsSection } from './sections/limits-section';
import { NameSection } from './sections/name-section';
import { RangeSection } from './sections/range-section';
import { RulesSection } from './sections/rules-section';
import { TransformSection } from './sections/transform-section';
import { usePreview } from './use-preview';
import { WayPanel } from './way-panel';

/** A draft that is kept, as the page read it. */
export interface KeptDraft {
  release: string;
  version: number;
  /** Who saved it last and when, in words. */
  saved: string;
  /** When the page read it. */
  at: string;
}

/**
 * The editor: one form in the order of the spec, and beside it what it would do, live. What is
 * typed is only kept by Save; what is kept is only frozen by the pin.
 */
export function DraftEditor({
  datasets,
  initial,
  kept,
  from,
  person,
  mayPin,
  note,
}: {
  datasets: readonly DraftDataset[];
  initial: DraftForm;
  kept: KeptDraft | null;
  /** The release that it is the next revision of, or that its fields came from. */
  from: string | null;
  person: string;
  mayPin: boolean;
  /** What the draft has to answer. */
  note?: ReactNode;
}) {
  const router = useRouter();
  const [form, setForm] = useState(initial);
  const [saved, setSaved] = useState(initial);
  const [base, setBase] = useState(kept);
  const [problem, setProblem] = useState<ActionProblem | null>(null);
  const [pending, once] = useOnce();
  const [chosen, setChosen] = useState<number | null>(null);
  const hydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const live = usePreview(form, base?.release ?? null);
  const { preview } = live;
  const dataset = datasets.find(({ name }) => name === form.dataset);
  const errors = useMemo(() => errorsOf(preview?.issues ?? []), [preview]);
  const dirty = base === null || !sameForm(form, saved);
  const moved = base !== null && kept !== null && kept.version > base.version && !pending;
  useUnsavedWarning(base !== null && dirty);

  const change = (part: Partial<DraftForm>) => setForm((now) => ({ ...now, ...part }));

  const save = async (): Promise<string | null> => {
    if (!dirty && base) return base.release;
    let release: string | null = null;
    await once(async () => {
      setProblem(null);
      release = base === null ? await keep() : await update(base);
    });
    return release;
  };
  const keep = async () => {
    const result = await keepDraft({ form }).catch(() => null);
    if (!result?.ok) return failed(result?.problem);
    say(`Kept as ${result.value.release}`);
    router.replace(`/releases/${result.value.release}/edit`);
    return result.value.release;
  };
  const update = async ({ release, version, ...rest }: KeptDraft) => {
    const sent = form;
    const result = await saveDraft({ form: sent, release, version }).catch(() => null);
    if (!result?.ok) return failed(result?.problem);
    setSaved(sent);
    setBase({ ...rest, release, ...result.value });
    say(`Saved, ${release} is at version ${result.value.version}`);
    return release;
  };
  const failed = (refused: ActionProblem | undefined) => {
    setProblem(
      refused ?? {
        code: 'NO_ANSWER',
        title: 'No answer came back.',
        detail: 'It is not known whether it was saved. Look at the draft before you try again.',
      },
    );
    return null;
  };
  /** What somebody else kept is the base from here on; what is typed stays, or goes. */
  const takeKept = (typed: DraftForm) => {
    setForm(typed);
    setSaved(initial);
    setBase(kept);
    setProblem(null);
  };

  const { plan } = preview ?? { plan: null };
  const edges = useMemo(() => (plan ? unpackEdges(plan.packed) : null), [plan]);
  const sampled = plan && plan.count > 0 ? Math.min(chosen ?? plan.count >> 1, plan.count - 1) : -1;
  const blockers: BlockerView[] = [
    ...(preview?.issues ?? []).map(({ code, message, pointer }) => ({
      code,
      kind: 'fix' as const,
      message,
      detail: pointer === '' ? undefined : pointer.slice(1).replaceAll('/', ' › '),
    })),
    ...(preview?.blockers ?? []),
  ];
  const section = { form, change, errors, dataset, preview };

  return (
    <>
      <div className="head">
        <div className="col">
          <div className="title">
            <h1>{base ? base.release : from ? `Next revision of ${from}` : 'New release'}</h1>
            <StateBadge release="DRAFT" pill>
              {base ? 'Draft' : 'Not kept yet'}
            </StateBadge>
            <span className="s q">
              {base ? `version ${base.version}, ${moved ? base.saved : (kept?.saved ?? '')}` : ''}
              {base && dirty ? ', unsaved changes' : ''}
            </span>
          </div>
          <div className="facts">
            <span>
              Whoever edits it is an author of it and cannot sign it; that is {person} now.
            </span>
          </div>
        </div>
        <div className="row">
          <Button
            variant={base ? 'plain' : 'go'}
            pending={pending}
            disabled={!dirty}
            onClick={() => void save()}
          >
            {pending ? 'Saving…' : base ? 'Save' : 'Save draft'}
          </Button>
          {base && mayPin && (
            <PinAction
              kept={base}
              live={live}
              edges={edges}
              blockers={
                dirty
                  ? [
                      ...blockers,
                      {
                        code: 'UNSAVED',
                        kind: 'fix',
                        message: 'What you typed is not saved',
                        fix: {
                          label: 'Save',
                          action: async () => {
                            await save();
                            return { ok: true };
                          },
                        },
                      },
                    ]
                  : blockers
              }
            />
          )}
        </div>
      </div>
      <div className="stack draft-notes">
        {note}
        {moved && (
          <Note
            tone="wait"
            live
            title="Changed since you looked."
            action={
              <div className="row">
                <Button size="sm" onClick={() => takeKept(initial)}>
                  Load what is kept
                </Button>
                <Button size="sm" onClick={() => takeKept(form)}>
                  Keep what I typed
                </Button>
              </div>
            }
          >
            {`Now at version ${kept.version}, ${kept.saved}: ${changedFields(saved, initial).join(', ') || 'nothing that stands here'}. You began from version ${base.version}.`}
          </Note>
        )}
        {problem && <ProblemNote problem={problem} />}
      </div>
      <form
        className="grid side l draft"
        aria-label="Draft"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {/* What is typed or chosen before React is there would be lost to the first render. */}
        <fieldset className="stack fields-of" disabled={!hydrated} aria-label="Fields">
          <NameSection
            {...section}
            datasets={datasets}
            kept={base !== null}
            onDataset={(name) =>
              setForm((now) => {
                const next = emptyForm(
                  datasets.find((each) => each.name === name),
                  now.owner,
                );
                const { name: typed, from, to, open, sealedPartitions } = now;
                return { ...next, name: typed, from, to, open, sealedPartitions };
              })
            }
          />
          <RangeSection {...section} />
          <TransformSection {...section} pending={live.pending} />
          <SamplePanel
            key={form.dataset}
            dirty={dirty}
            keep={save}
            partition={
              edges && sampled >= 0
                ? {
                    start: edges.utc[sampled] ?? '',
                    text: `[${edges.text[sampled]}, ${edges.text[sampled + 1]}) ${edges.zone}`,
                  }
                : null
            }
          />
          <RulesSection {...section} />
          <ContractSection {...section} />
          <ConservedSection {...section} />
          <LimitsSection {...section} />
          <ApprovalsSection {...section} />
        </fieldset>
        <div className="stack draft-side">
          <PlanPanel plan={plan} dataset={form.dataset} selected={sampled} onSelect={setChosen} />
          <WayPanel blockers={blockers} live={live} />
        </div>
      </form>
    </>
  );
}

const never = () => () => {};

/** The browser asks before what was typed is left behind. */
function useUnsavedWarning(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [dirty]);
}
