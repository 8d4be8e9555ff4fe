import '#web/styles.css';
import { start } from '#web/app/start.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
// Not awaited here: what a page is made of would wait for this file, and this file for the page.
void start(root);
