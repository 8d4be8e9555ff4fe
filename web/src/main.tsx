import '#web/styles.css';
import { start } from '#web/app/start.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
// Not awaited: the page's chunks import this module, so a top-level await would deadlock.
void start(root);
