// Works out the step response of a set point and a measurement with the functions of PIDReview's page, of a checkout of
// ArduPilot's WebTools, without a browser:
//
//     node pid_review.mjs CHECKOUT SAMPLES
//
// SAMPLES is a file, and what is printed is the response:
//
//     { "window": …, "rate": …, "time": […], "target": […], "actual": […] }
//     { "time": […], "response": […] }
//
// The scripts are those of the checkout. What they ask of the page is answered here.

import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'

const [checkout, samples] = process.argv.slice(2)
const { window, rate, time, target, actual } = JSON.parse(fs.readFileSync(samples, 'utf8'))

// Of the page: the size of a window, the range of time, and that nothing is drawn.
const inputs = { FFTWindow_size: window, TimeStart: Math.floor(time[0]), TimeEnd: Math.ceil(time[time.length - 1]) }
const element = (id) => ({ value: inputs[id], checked: id === 'type_RATE_R' })
const page = vm.createContext({
    document: { getElementById: element },
    Plotly: { redraw () {} },
    alert (text) { throw new Error(text) }
})
const scripts = ['modules/fft.js/dist/fft.js', 'Libraries/Array_Math.js', 'Libraries/fft.js', 'PIDReview/PIDReview.js']
for (const script of scripts) {
    // The page loads a parser of logs, which isn't needed here.
    const source = fs.readFileSync(path.join(checkout, script), 'utf8').replace(/^const import_done = .*$/m, '')
    vm.runInContext(source, page, { filename: script })
}

page.samples = { time, sample_rate: rate, Tar: target, Act: actual, Out: actual }
const response = vm.runInContext(`
    PID_log_messages = [{ id: ["RATE", "R"], have_data: true, sets: [[samples]] }]
    PID_log_messages.have_data = true
    step_plot = { data: [{}, {}], layout: { yaxis: {} } }
    run_batch_fft(PID_log_messages[0].sets)
    redraw_step()
    JSON.stringify({ time: step_plot.data[1].x, response: step_plot.data[1].y })
`, page)
process.stdout.write(response)
