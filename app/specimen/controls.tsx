'use client';

import { useState } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Checkbox, Input, Select, TextArea } from '@/components/ui/field';
import { LoadMore } from '@/components/ui/pager';
import { Panel } from '@/components/ui/panel';
import { SqlEditor } from '@/components/ui/sql-editor';
import { Tag } from '@/components/ui/tag';
import { say } from '@/components/ui/toaster';
import { Tooltip } from '@/components/ui/tooltip';
import { wrongSql } from './story';

export function ControlSamples() {
  const [sql, setSql] = useState(wrongSql);
  const [open, setOpen] = useState(false);
  const marks = sql.includes('custmer')
    ? [
        {
          line: 3,
          column: 12,
          message: 'Column “custmer” does not exist. The source has customer.',
        },
      ]
    : [];
  return (
    <div className="grid g2">
      <Panel title="Controls">
        <div className="row">
          <Button variant="go">Seal ingress</Button>
          <Button>Rehearse</Button>
          <Button variant="stop">Abandon vat-fix@3</Button>
          <Button variant="no">Reject…</Button>
          <Button disabled>Rehearse</Button>
          <Button pending>Working…</Button>
          <Button size="sm">Retry 1</Button>
          <ButtonLink href="/" icon="right">
            Open
          </ButtonLink>
          <Button variant="go" size="lg" icon="sign">
            Sign cutover and rollback
          </Button>
          <Button onClick={() => say('Ingress sealed, epoch 41', 'order_tax, by dee')}>
            Toast
          </Button>
          <Button onClick={() => setOpen(true)}>Dialog</Button>
          <Tooltip text="Only this range, not the dataset">
            <Button>Tooltip</Button>
          </Tooltip>
          <Tag kind="fix">fix</Tag>
          <Tag kind="wait">wait</Tag>
          <Tag>25 h</Tag>
        </div>
        <div className="sub fields">
          <Input label="From" defaultValue="2011-01-04 00:00 GMT" />
          <Input label="Zone, frozen" defaultValue="Europe/London" readOnly />
          <Input label="Source rows/s" number defaultValue="1,500" hint="at most 200,000" />
          <Select
            label="Deletes"
            options={[
              { value: 'a', label: 'ABSENCE_IS_DELETE' },
              { value: 't', label: 'TOMBSTONE_ONLY', disabled: true },
            ]}
          />
          <Input
            label="To, not included"
            defaultValue="2011-12-10 12:00"
            error="Not on a partition edge; the nearest are 2011-12-10 00:00 and 2011-12-11 00:00."
          />
        </div>
        <div className="sub col">
          <TextArea label="Comment" placeholder="What an auditor will want to know" />
          <Checkbox defaultChecked>
            Sign the rollback too, for this cutover’s window of 24 h
          </Checkbox>
        </div>
        <LoadMore text="50 of 1,024" more onMore={() => undefined} />
        <Dialog
          open={open}
          onOpenChange={setOpen}
          title="A dialog"
          summary="Opening it writes nothing."
        >
          <Button onClick={() => setOpen(false)}>Close it</Button>
        </Dialog>
      </Panel>
      <Panel title="SQL editor">
        <SqlEditor label="New transform" value={sql} onChange={setSql} marks={marks} />
      </Panel>
    </div>
  );
}
