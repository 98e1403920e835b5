//! The few elements of SVG that the pictures need.
#![forbid(unsafe_code)]

use super::layout::Rect;
use super::palette::{GREY, INK, PAPER};
use super::text::{Out, Xml};
use crate::Result;
use crate::sink::Sink;
use core::fmt::Display;

/// An SVG document. Texts are the caller's to measure.
pub(super) struct Svg<'s, S: Sink + ?Sized> {
    pub out: Out<'s, S>,
}

/// How a text stands at its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub(super) enum Face {
    /// The title of the picture.
    Title,
    /// A heading.
    Head,
    /// A name.
    Name,
    /// Everything else.
    Plain,
    /// What matters less.
    Minor,
    /// A name on top of something else.
    Label,
}

impl<'s, S: Sink + ?Sized> Svg<'s, S> {
    /// Begins a picture of that size, with its title.
    pub(super) fn begin(sink: &'s mut S, width: i32, height: i32, title: &str) -> Result<Self> {
        let mut svg = Svg { out: Out::new(sink) };
        svg.out.put(format_args!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n\
             <style>\n\
             text {{ font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 11px; \
             fill: {INK}; white-space: pre }}\n\
             .t {{ font-size: 15px; font-weight: bold }}\n.h {{ font-size: 12px; font-weight: bold; paint-order: stroke; stroke: {PAPER}; stroke-width: 3px }}\n\
             .n {{ font-weight: bold }}\n.m {{ fill: {GREY} }}\n\
             .l {{ paint-order: stroke; stroke: {PAPER}; stroke-width: 3px; stroke-opacity: 0.7 }}\n.e {{ fill: none; stroke-width: 1.4 }}\n\
             .e:hover {{ stroke-width: 4 }}\n.b:hover {{ stroke-width: 3 }}\n</style>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{PAPER}\"/>\n",
            Xml(title)
        ))?;
        Ok(svg)
    }

    pub(super) fn end(mut self) -> Result<()> {
        self.out.put("</svg>\n")?;
        self.out.flush()
    }

    pub(super) fn text(&mut self, (x, y): (i32, i32), anchor: Anchor, face: Face, text: &str) -> Result<()> {
        let class = match face {
            Face::Title => " class=\"t\"",
            Face::Head => " class=\"h\"",
            Face::Name => " class=\"n\"",
            Face::Plain => "",
            Face::Minor => " class=\"m\"",
            Face::Label => " class=\"l\"",
        };
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.out.put(format_args!("<text x=\"{x}\" y=\"{y}\"{class}{anchor}>{}</text>\n", Xml(text)))
    }

    /// A label that reads from below upwards.
    pub(super) fn upwards(&mut self, (x, y): (i32, i32), text: &str) -> Result<()> {
        let text = Xml(text);
        self.out.put(format_args!("<text transform=\"translate({x} {y}) rotate(-90)\" class=\"l\">{text}</text>\n"))
    }

    /// A rectangle with further attributes and, unless it is empty, a tooltip.
    pub(super) fn rect(&mut self, rect: Rect, attributes: impl Display, tooltip: &str) -> Result<()> {
        let Rect { x, y, w, h } = rect;
        self.out.put(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {attributes}"))?;
        if tooltip.is_empty() {
            self.out.put("/>\n")
        } else {
            self.out.put(format_args!("><title>{}</title></rect>\n", Xml(tooltip)))
        }
    }

    /// A line.
    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), attributes: impl Display) -> Result<()> {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.out.put(format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>\n"))
    }
}
