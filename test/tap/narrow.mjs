// narrow.mjs: opens every page of a site in Chromium, as wide as a phone, and prints those that are
// wider.  Arguments: Chromium, the directory of the site, the width.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [browser, site, width] = process.argv.slice(2);
const profile = mkdtempSync(path.join(os.tmpdir(), 'narrow-'));
const chromium = spawn(browser, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
    `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const answers = new Map();
let number = 0, loaded = () => {}, rest = '';

// messages of the DevTools protocol, which end with a zero byte
chromium.stdio[4].setEncoding('utf8').on('data', text => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const message of messages.map(m => JSON.parse(m))) {
        if (message.id) answers.get(message.id)(message.result ?? message);
        else if (message.method === 'Page.loadEventFired') loaded();
    }
});
let sessionId;
const call = (method, params = {}) => new Promise(resolve => {
    answers.set(++number, resolve);
    chromium.stdio[3].write(JSON.stringify({ id: number, method, params, ...(sessionId && { sessionId }) }) + '\0');
});

const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
({ sessionId } = await call('Target.attachToTarget', { targetId, flatten: true }));
await call('Page.enable');
await call('Emulation.setDeviceMetricsOverride', { width: Number(width), height: 844, deviceScaleFactor: 1, mobile: true });

const pages = directory => readdirSync(directory, { withFileTypes: true }).flatMap(entry => {
    const name = path.join(directory, entry.name);
    return entry.isDirectory() ? pages(name) : name.endsWith('.html') ? [name] : [];
});
let count = 0;
for (const page of pages(site).sort()) {
    const ready = new Promise(resolve => { loaded = resolve; });
    await call('Page.navigate', { url: `file://${page}` });
    await ready;
    const { result } = await call('Runtime.evaluate', { expression: 'Math.max(document.documentElement.scrollWidth, innerWidth)' });
    if (!(result.value <= Number(width))) console.log(`${path.relative(site, page)}: ${result.value}`);
    count++;
}
console.log(`${count > 0 ? 'all' : 'no'} pages`);
const ended = new Promise(resolve => chromium.on('exit', resolve));
chromium.kill();
await ended;
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
