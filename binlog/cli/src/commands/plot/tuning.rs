//! What tuning asks of a log: responses to a step, noise by throttle, delays of filters.

use super::evaluation::{curves_of, evaluated, signals};
use crate::counted::counted;
use crate::outcome::{Failure, warn};
use crate::plot::align::Origin;
use crate::plot::curves::{CurveOf, Plotted, suits};
use crate::plot::delay;
use crate::plot::expression::Expression;
use crate::plot::figure::{Figure, NewCurve};
use crate::plot::figures::tuning;
use crate::plot::groups::{By, Groups, Value, throttles};
use crate::plot::pairs::pairs;
use crate::plot::presets::{self, Kind, Preset};
use crate::plot::step_response::{self, Responses, step_responses};
use crate::plot::vibration::{Signal, batches};

/// The least angular rate that is a step: PIDReview's and PID-Analyzer's, in deg/s.
const LEAST_RATE: f64 = 20.0;

/// The least input of other units, as a share of the largest one.
const LEAST_SHARE: f64 = 0.1;

/// Gyroscopes that are logged more slowly than this don't show noise, in Hz.
const SLOW: f64 = 100.0;

/// What is asked, and of which sessions.
#[derive(Clone, Copy)]
pub(super) struct Tuning<'a> {
    pub(super) kind: Kind,
    pub(super) by: Option<&'a By>,
    pub(super) plotted: &'a [Plotted<'a>],
    pub(super) origin: Origin,
}

impl Tuning<'_> {
    /// The figure of the expressions; without any, of each log by the first list of the preset, or of the program's own
    /// one, that it has.
    pub(super) fn figure(
        &self,
        title: String,
        expressions: &[Expression],
        preset: Option<Preset>,
    ) -> Result<Figure, Failure> {
        if !expressions.is_empty() {
            return self.of(title, expressions, 0.0);
        }
        let preset = match preset {
            Some(preset) => preset,
            None => {
                let own = presets::own().map_err(Failure::new)?;
                own.into_iter().find(|preset| preset.kind == self.kind).unwrap_or_default()
            }
        };
        let mut figures = Vec::new();
        let mut rest = self.plotted.to_vec();
        if self.kind == Kind::Noise {
            let with_batches;
            (with_batches, rest) = rest.into_iter().partition(|plotted| !self.batches(plotted).is_empty());
            if !with_batches.is_empty() {
                let sampled = Tuning { plotted: &with_batches, ..*self };
                figures.push(sampled.noise(title.clone(), |plotted| Ok(self.batches(plotted)))?);
            }
        }
        let mut reasons = Vec::new();
        if self.kind == Kind::FilterDelay {
            // Each by its own parameter: without it, the same instances are those of different sensors.
            for plotted in std::mem::take(&mut rest) {
                let gyroscopes = raw_gyroscopes(&plotted);
                if !gyroscopes.is_empty() {
                    let alone = Tuning { plotted: std::slice::from_ref(&plotted), ..*self };
                    match alone.of(title.clone(), &gyroscopes, 0.0) {
                        Ok(figure) => {
                            figures.push(figure);
                            continue;
                        }
                        Err(failure) => reasons.push(format!("\n  GYR before and after the filters\n    {failure}")),
                    }
                }
                rest.push(plotted);
            }
        }
        for (list, text) in preset.expressions().zip(preset.lists.iter().map(|list| list.join(" "))) {
            if rest.is_empty() {
                break;
            }
            let mut reason = |failure: String| {
                let line = failure.lines().next().unwrap_or_default();
                reasons.push(format!("\n  {text}\n    {line}"));
            };
            let list = match list {
                Ok(list) => list,
                Err(error) => {
                    reason(error.to_string());
                    continue;
                }
            };
            let mut lacking = None;
            let (with, mut without) = rest.into_iter().partition::<Vec<_>, _>(|plotted| {
                let missing = suits(&list, plotted.session).err();
                let suits = missing.is_none();
                lacking = lacking.take().or(missing.filter(|_| is_of_format(&list, plotted)));
                suits
            });
            if !with.is_empty() {
                match (Tuning { plotted: &with, ..*self }).of(title.clone(), &list, SLOW) {
                    Ok(figure) => figures.push(figure),
                    Err(failure) => {
                        reason(failure.to_string());
                        without.extend(with);
                    }
                }
            } else if let Some(error) = lacking {
                reason(error.to_string());
            }
            rest = without;
        }
        let Some(figure) = figures.into_iter().reduce(Figure::with) else {
            let (name, reasons, needs) = (&preset.name, reasons.concat(), what_to_log(self.kind));
            return Err(Failure::new(format_args!("it can't be plotted as `{name}`:{reasons}\n{needs}")));
        };
        for Plotted { name, .. } in rest {
            warn(format_args!("{name} isn't drawn: {}", what_to_log(self.kind)));
        }
        Ok(figure)
    }

    /// The batch samples of gyroscopes.
    fn batches(&self, plotted: &Plotted<'_>) -> Vec<Signal> {
        let batches = batches(std::slice::from_ref(plotted), self.origin);
        batches.into_iter().filter(|signal| signal.unit == "rad/s").collect()
    }

    /// The figure of expressions; noise of signals that are faster than `slow`, in Hz.
    fn of(&self, title: String, expressions: &[Expression], slow: f64) -> Result<Figure, Failure> {
        match self.kind {
            Kind::StepResponse => self.responses(title, expressions),
            Kind::FilterDelay => self.delays(title, expressions),
            Kind::Noise | Kind::Curves => self.noise(title, |plotted| {
                let signals = signals(expressions, std::slice::from_ref(plotted), self.origin)?;
                let is_slow = |signal: &&Signal| signal.runs.first().is_some_and(|run| run.rate < slow);
                match signals.iter().find(is_slow) {
                    Some(Signal { name, runs, .. }) => {
                        let rate = runs.first().map_or(0.0, |run| run.rate);
                        Err(Failure::new(format_args!("{name} has {rate:.0} samples a second, too few to show noise")))
                    }
                    None => Ok(signals),
                }
            }),
        }
    }

    fn responses(&self, title: String, expressions: &[Expression]) -> Result<Figure, Failure> {
        let groups: Vec<Groups> = self.plotted.iter().map(|plotted| self.groups(plotted)).collect::<Result<_, _>>()?;
        let mut lists = Vec::new();
        let (mut without, mut few) = (Vec::new(), Vec::new());
        for [inputs, outputs] in self.curves_in_twos(expressions)? {
            let mut list = Vec::new();
            for (session, input, output) in matching(&inputs, &outputs)? {
                let pairs = pairs(input, output);
                let rate = pairs.first().map_or(f64::INFINITY, |pair| pair.rate);
                if rate < step_response::LOWEST_RATE {
                    let (name, needed) = (&output.name, step_response::LOWEST_RATE);
                    without.push(format!("{name} has {rate:.0} samples a second; a step response needs {needed}"));
                    continue;
                }
                let names = groups[session].names();
                let least = least(input);
                let of_groups = step_responses(&pairs, least, names.len(), |window| groups[session].of(window));
                if of_groups.iter().all(|responses| responses.response.is_none()) {
                    without.push(why_without(output, input, least, &of_groups));
                }
                for (group, responses) in names.into_iter().zip(of_groups) {
                    let name =
                        if group.is_empty() { output.name.clone() } else { format!("{} · {group}", output.name) };
                    if responses.response.is_some() && responses.used < step_response::FEW {
                        let windows = counted(responses.used, "window");
                        let text = "so it may be far off; a longer part with more input gives a better one";
                        few.push(format!(
                            "the response of {name} is from {windows} of {} s, {text}",
                            step_response::WINDOW
                        ));
                    }
                    list.push((name, responses));
                }
            }
            lists.push(list);
        }
        if lists.iter().flatten().all(|(_, responses)| responses.response.is_none()) {
            return Err(Failure::new(
                without.first().map_or("nothing to plot: the columns have no record", String::as_str),
            ));
        }
        without.into_iter().chain(few).for_each(warn);
        Ok(tuning::step_responses(title, lists))
    }

    fn delays(&self, title: String, expressions: &[Expression]) -> Result<Figure, Failure> {
        let mut delays = Vec::new();
        let mut without = Vec::new();
        for [inputs, outputs] in self.curves_in_twos(expressions)? {
            for (_, input, output) in matching(&inputs, &outputs)? {
                match delay::delay(&pairs(input, output)) {
                    Some(delay) => delays.push((format!("{} after {}", output.name, input.name), delay)),
                    None => without.push(format!(
                        "no delay of {} after {} is found; it takes 64 samples without a gap, and less than 25 ms",
                        output.name, input.name
                    )),
                }
            }
        }
        if delays.is_empty() {
            return Err(Failure::new(
                without.first().map_or("nothing to plot: the columns have no record", String::as_str),
            ));
        }
        without.into_iter().for_each(warn);
        Ok(tuning::delays(title, delays))
    }

    /// Noise of signals, which are asked of one session after the other.
    fn noise(
        &self,
        title: String,
        signals: impl Fn(&Plotted<'_>) -> Result<Vec<Signal>, Failure>,
    ) -> Result<Figure, Failure> {
        let mut sessions = Vec::new();
        let mut without = Vec::new();
        for plotted in self.plotted {
            let value = || self.value(plotted, self.by.unwrap_or(&By::Throttle));
            match signals(plotted).and_then(|signals| Ok((signals, value()?))) {
                Ok(session) => sessions.push(session),
                Err(failure) => without.push(failure),
            }
        }
        if sessions.is_empty()
            && let Some(failure) = without.pop()
        {
            return Err(failure);
        }
        without.into_iter().for_each(warn);
        let (figure, unknown) = tuning::spectrogram_by(title, &sessions)?;
        if unknown > 0 {
            let name = sessions.first().map_or("", |(_, value)| &value.name);
            warn(format_args!("left out {unknown} stretches in which {name} isn't known"));
        }
        Ok(figure)
    }

    fn groups(&self, plotted: &Plotted<'_>) -> Result<Groups, Failure> {
        match self.by {
            None => Ok(Groups::All),
            Some(By::Mode) => Ok(Groups::of_modes(plotted, self.origin)),
            Some(by) => self.value(plotted, by).map(Groups::Ranges),
        }
    }

    /// The value that a session is divided by.
    fn value(&self, plotted: &Plotted<'_>, by: &By) -> Result<Value, Failure> {
        let of = |expression: &Expression| -> Result<NewCurve, Failure> {
            let curves = evaluated(std::slice::from_ref(expression), std::slice::from_ref(plotted), self.origin)?;
            let [curve] = <[NewCurve; 1]>::try_from(curves).map_err(|curves| {
                Failure::new(format_args!("--by needs one value; choose one of {} instances", curves.len()))
            })?;
            Ok(curve)
        };
        if let By::Value(expression) = by {
            let constant = || Failure::new(format_args!("{} is the same throughout", expression.text()));
            return Value::of_curve(of(expression)?).ok_or_else(constant);
        }
        let of_column = |(text, scale)| Value::throttle(of(&Expression::parse(text).ok()?).ok()?, scale);
        throttles().find_map(of_column).ok_or_else(|| {
            Failure::new(
                "the throttle isn't known: log CTUN, RATE or RCOU, or of Blackbox rcCommand or motor; or write \
                 --by EXPRESSION",
            )
        })
    }

    /// The curves of each two expressions.
    fn curves_in_twos(&self, expressions: &[Expression]) -> Result<Vec<[Vec<CurveOf>; 2]>, Failure> {
        if !expressions.len().is_multiple_of(2) {
            let (option, example) = match self.kind {
                Kind::FilterDelay => ("--filter-delay", "'gyroUnfilt[0]' 'gyroADC[0]'"),
                _ => ("--step-response", "RATE.RDes RATE.R"),
            };
            return Err(Failure::new(format_args!("{option} takes two expressions each: {example}")));
        }
        let curves = curves_of(expressions, self.plotted, self.origin)?;
        let mut twos: Vec<[Vec<CurveOf>; 2]> = vec![Default::default(); expressions.len() / 2];
        for (of, curve) in curves {
            twos[of.expression / 2][of.expression % 2].push((of, curve));
        }
        Ok(twos)
    }
}

/// The gyroscopes before and after the filters, of a log that has both in GYR: with the bit 3 of INS_RAW_LOG_OPT,
/// instances above those of the sensors are after the filters.
fn raw_gyroscopes(plotted: &Plotted<'_>) -> Vec<Expression> {
    const BEFORE_AND_AFTER: u32 = 1 << 3;
    let Some(log) = plotted.session.ardupilot() else { return Vec::new() };
    let option = log.parameters().get("INS_RAW_LOG_OPT").and_then(|parameter| parameter.values.last()?.value.into());
    let Ok(rows) = log.rows("GYR") else { return Vec::new() };
    let mut instances: Vec<u64> =
        rows.instances().iter().filter_map(|instance| instance.to_string().parse().ok()).collect();
    instances.sort_unstable();
    if option.unwrap_or(0.0) as u32 & BEFORE_AND_AFTER == 0 || !instances.len().is_multiple_of(2) {
        return Vec::new();
    }
    let (before, after) = instances.split_at(instances.len() / 2);
    let columns = before.iter().zip(after).flat_map(|(before, after)| {
        ["GyrX", "GyrY", "GyrZ"].into_iter().flat_map(move |label| [before, after].map(|i| format!("GYR[{i}].{label}")))
    });
    columns.filter_map(|column| Expression::parse(&column).ok()).collect()
}

/// Whether the expressions look like those of a log of this format: ArduPilot's columns have a type.
fn is_of_format(expressions: &[Expression], plotted: &Plotted<'_>) -> bool {
    let mut columns = expressions.iter().flat_map(Expression::columns);
    columns.all(|column| column.table.is_some() == plotted.session.ardupilot().is_some())
}

/// The inputs and outputs that belong together, with their sessions: of the same instances, or a single input with all
/// outputs of its session.
fn matching<'c>(
    inputs: &'c [CurveOf],
    outputs: &'c [CurveOf],
) -> Result<Vec<(usize, &'c NewCurve, &'c NewCurve)>, Failure> {
    let mut all = Vec::new();
    for (of, output) in outputs {
        let inputs: Vec<_> = inputs.iter().filter(|(other, _)| other.session == of.session).collect();
        let input = match &inputs[..] {
            [] => continue,
            [(_, only)] => Some(only),
            inputs => inputs.iter().find(|(other, _)| other.instances == of.instances).map(|(_, input)| input),
        };
        let input = input.ok_or_else(|| {
            Failure::new("the two expressions have different instances; choose one of each: GYR[0].GyrX GYR[1].GyrX")
        })?;
        all.push((of.session, input, output));
    }
    Ok(all)
}

/// The least input of a window.
fn least(input: &NewCurve) -> f64 {
    match input.unit.as_str() {
        "deg/s" => LEAST_RATE,
        "rad/s" => LEAST_RATE.to_radians(),
        _ => {
            let finite = input.y.iter().filter(|value| value.is_finite());
            finite.fold(0.0, |most: f64, value| most.max(value.abs())) * LEAST_SHARE
        }
    }
}

fn why_without(output: &NewCurve, input: &NewCurve, least: f64, of_groups: &[Responses]) -> String {
    let window = step_response::WINDOW;
    let name = &output.name;
    let sum = |count: fn(&Responses) -> usize| of_groups.iter().map(count).sum::<usize>();
    match (sum(|responses| responses.used), sum(|responses| responses.left_out)) {
        (0, 0) => format!("{name} has no response: no {window} s without a gap are in the chosen part"),
        (0, windows) => format!(
            "{name} has no response: {} is below {least:.3} {} or constant in all {windows} windows of {window} s",
            input.name, input.unit
        ),
        _ => format!("{name} has no response: its values, or those of {}, are too large", input.name),
    }
}

/// What a log needs.
fn what_to_log(kind: Kind) -> &'static str {
    match kind {
        Kind::StepResponse => {
            "a log needs RATE, or PIDR, PIDP and PIDY, 50 times a second (bits ATTITUDE_FAST and PID of LOG_BITMASK); \
             a Blackbox log setpoint or axisRate, and gyroADC"
        }
        Kind::Noise => {
            "a log needs batch samples (INS_LOG_BAT_MASK), GYR (INS_RAW_LOG_OPT), or a fast IMU (bit IMU_FAST of \
             LOG_BITMASK); a Blackbox log gyroUnfilt, gyroRaw or gyroADC"
        }
        _ => {
            "a log needs the gyroscope before and after the filters: GYR with INS_RAW_LOG_OPT=9, or of Blackbox \
             gyroADC with gyroUnfilt (Betaflight 4.5) or gyroRaw (INAV)"
        }
    }
}
