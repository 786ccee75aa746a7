// Opens a log in a page of ArduPilot's WebTools, in headless Chromium, and prints what the page draws and says:
//
//     node web_tools.mjs CHECKOUT PAGE LOG
//
//     { "errors": […], "alerts": […],
//       "plots": { "FlightData": [{ "name": "Roll", "count": …, "x": […, …], "y": […, …] }] } }
//
// A plot has the first and the last point of each of its lines, numbers as in tests/src/viewer.rs. The page is as in
// the checkout, except for a script at its top, which chooses the log in the page's file input and reports to this
// program.

import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { spawn } from 'node:child_process'

const [checkout, page, logPath] = process.argv.slice(2)

/** Runs in the page. */
function report () {
    const errors = []
    const alerts = []
    window.alert = (text) => alerts.push(String(text))
    window.addEventListener('error', (event) => errors.push(event.message ?? String(event)))
    window.addEventListener('unhandledrejection', (event) => errors.push(String(event.reason?.stack ?? event.reason)))

    function number (v) {
        if (typeof v !== 'number') return v ?? null
        if (Number.isNaN(v)) return { f: 'nan' }
        const bytes = new DataView(new ArrayBuffer(8))
        bytes.setFloat64(0, v)
        return { f: bytes.getBigUint64(0).toString(16).padStart(16, '0') }
    }
    const ends = (values) => [number(values[0]), number(values[values.length - 1])]
    const lines = (plot) => plot.data.filter((line) => line.y?.length > 0).map((line) => (
        { name: line.name ?? null, count: line.y.length, x: ends(line.x), y: ends(line.y) }
    ))
    function state () {
        const plots = {}
        for (const plot of document.querySelectorAll('.js-plotly-plot')) plots[plot.id] = lines(plot)
        return JSON.stringify({ errors, alerts, plots })
    }

    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    window.addEventListener('load', async () => {
        const log = await (await fetch('/log')).blob()
        // Some pages load libraries first, and would open a log that is chosen meanwhile twice.
        if (typeof import_done !== 'undefined') await Promise.allSettled([import_done].flat())
        const files = new DataTransfer()
        files.items.add(new File([log], '00000001.BIN'))
        const input = document.getElementById('fileItem')
        const before = state()
        input.files = files.files
        input.dispatchEvent(new Event('change'))
        // It is done when something happened, and then nothing for two seconds; or if nothing happens at all.
        let last = before
        for (let quiet = 0; quiet < (last === before ? 20 : 4); quiet++) {
            await wait(500)
            const now = state()
            if (now !== last) quiet = 0
            last = now
        }
        await fetch('/report', { method: 'POST', body: last })
    })
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.css': 'text/css' }
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'viewer-'))
let browser

const server = http.createServer((request, response) => {
    const url = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    if (url === '/log') return response.end(fs.readFileSync(logPath))
    if (url === '/report') {
        let body = ''
        request.on('data', (part) => { body += part })
        return request.on('end', () => {
            response.end()
            process.stdout.write(body)
            browser.kill()
        })
    }
    const file = path.join(checkout, path.normalize(url))
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
        response.statusCode = 404
        return response.end()
    }
    response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream')
    const contents = fs.readFileSync(file)
    if (url !== `/${page}/index.html`) return response.end(contents)
    return response.end(String(contents).replace('<head>', `<head><script>(${report})()</script>`))
})

server.listen(0, '127.0.0.1', () => {
    const options = ['--headless=new', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`]
    // Chromium has no sandbox for root.
    if (process.getuid() === 0) options.push('--no-sandbox')
    const url = `http://127.0.0.1:${server.address().port}/${page}/index.html`
    browser = spawn('chromium', [...options, url], { stdio: ['ignore', 'ignore', 'inherit'] })
    browser.on('exit', () => {
        server.close()
        server.closeAllConnections()
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    })
})
